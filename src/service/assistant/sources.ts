import { listOf } from '../../base/run/group.ts'
import { max_source_places, max_unread_sources } from '../../contract/limits.ts'
import type { AssetReading } from '../../contract/messages/messages-assets.ts'
import type {
  MessageSource,
  MessageWarning,
  TurnRecord,
} from '../../contract/messages/messages-chats.ts'
import type { Parts } from '../parts.ts'
import { type AssetRow, isIn } from '../store/store-assets.ts'
import type { Quote } from './answer-text.ts'
import type { Knowledge } from './scope.ts'

/** A file in the scope of a turn. */
export interface ScopeFile {
  asset: number
  asset_id: string
  name: string
  /** Why the service has no text of it, as a clause; absent if it has. */
  unread?: string
  /** Why the service itself could read it only in part. */
  in_part?: string
}

/**
 * Files of projects that a turn reads whole at most. Their texts alone would exceed what it may
 * read by far.
 */
const max_files = 20_000

/**
 * The files of a scope in the order in which they are read: first those that the scope names, in
 * its order, then those of projects, newest first.
 */
export function scopeFiles({ assets }: Parts, knowledge: Knowledge): ScopeFile[] {
  const { projects } = knowledge
  const newest = assets.newestOf({ projects, assets: [] }, max_files).map(({ seq }) => seq)
  return [...new Set([...knowledge.assets, ...newest])].flatMap((seq) => {
    const row = assets.bySeq(seq)
    return row ? [fileOf(row)] : []
  })
}

function fileOf(row: AssetRow): ScopeFile {
  const { seq: asset, asset_id } = row
  const file = { asset, asset_id, name: (row.name ?? row.filename).replace(/\p{Cc}+/gu, ' ') }
  const reading = row.reading === null ? undefined : (JSON.parse(row.reading) as AssetReading)
  if (!isIn(row)) return { ...file, unread: whyNotIn(row, reading) }
  if (!reading || reading.seen >= reading.of) return file
  const amount = `the service could read ${reading.seen} of ${reading.of} ${reading.unit}s`
  return { ...file, in_part: reading.why ?? amount }
}

function whyNotIn({ status, failure }: AssetRow, reading: AssetReading | undefined): string {
  if (status === 'failed') return `the service cannot read it: ${failure ?? 'its form is unknown'}`
  if (status === 'ready') return reading?.why ?? 'it has no text'
  return 'the service has not read it yet'
}

/** How much of a file the assistant was given: all of its text, or what is at these places. */
export type Amount = 'whole' | readonly string[]

interface Reasons {
  /** Of certain files. */
  why?: ReadonlyMap<number, string>
  /** Of all others that were not read, or only in part. */
  not: string
  part?: string
}

/** What was read of each file. */
export function sourcesOf(
  files: readonly ScopeFile[],
  amounts: ReadonlyMap<number, Amount>,
  { why: known, not, part }: Reasons,
): MessageSource[] {
  return files.map(({ asset, asset_id, unread, in_part }) => {
    const amount = amounts.get(asset)
    if (amount === undefined)
      return { asset_id, read: 'not', why: unread ?? known?.get(asset) ?? not }
    if (amount === 'whole' && in_part === undefined) return { asset_id, read: 'whole' }
    const why = amount === 'whole' ? in_part : (known?.get(asset) ?? part)
    const places = amount === 'whole' ? [] : [...new Set(amount)].slice(0, max_source_places)
    return { asset_id, read: 'part', ...(places.length > 0 && { places }), ...(why && { why }) }
  })
}

/** Lists every file that was read, and the first ones of those that were not; each warning once. */
export function recordOf(
  all: readonly MessageSource[],
  warnings: readonly MessageWarning[] = [],
  more_files = 0,
): TurnRecord {
  const was_read = all.filter(({ read }) => read !== 'not')
  const not = all.filter(({ read }) => read === 'not')
  const left_out = Math.max(0, not.length - max_unread_sources) + more_files
  const sources = [...was_read, ...not.slice(0, max_unread_sources)]
  const each = [...new Map(warnings.map((warning) => [warning.code, warning])).values()]
  return {
    sources,
    ...(left_out > 0 && { sources_left_out: left_out }),
    ...(each.length > 0 && { warnings: each }),
  }
}

/**
 * What was read for an answer from passages: part of their files. Others that the scope names one
 * by one are listed as not read; those of whole projects are only counted.
 */
export function passageSources(
  parts: Parts,
  knowledge: Knowledge,
  quotes: readonly Quote[],
): TurnRecord {
  const places = new Map<number, string[]>()
  for (const { asset, place } of quotes) {
    if (asset !== undefined) listOf(places, asset).push(...(place === undefined ? [] : [place]))
  }
  const { projects: _, ...named } = knowledge
  const assets = [...places.keys(), ...named.assets]
  const files = scopeFiles(parts, { ...named, projects: [], assets })
  const not = 'a search for the request found none of it'
  return recordOf(sourcesOf(files, places, { not }), [], unlisted(parts, knowledge, files))
}

/** The number of readable files in scope that are not among these. */
export function unlisted(
  { assets }: Parts,
  knowledge: Knowledge,
  files: readonly ScopeFile[],
): number {
  const listed = files.filter(({ unread }) => unread === undefined).length
  return Math.max(0, assets.countOf(knowledge) - listed)
}
