import { basename } from 'node:path'
import { formatCount } from '../../base/text/format.ts'
import { namesIn, unreadLine } from '../../base/text/mentions.ts'
import type { RunAsset, RunTurn } from '../../domain/run.ts'
import type { SourceRead, Told } from '../../domain/source-read.ts'
import { type Fate, fateOf } from '../plan/covered.ts'

/** A file that a run asked about, and what the written run makes of it. */
export type ToldFile = RunAsset & Told & { fate: Fate }

/** The files of a run. `empty`: why the run is empty; undefined if it is not. */
export function toldFiles({
  assets,
  turns,
  empty,
}: {
  assets: readonly RunAsset[]
  turns: readonly Pick<RunTurn, 'answer' | 'sources'>[]
  empty?: string | undefined
}): ToldFile[] {
  return toldOf(assets, turns).map((file) => {
    return { ...file, fate: fateOf(file, file.read, empty !== undefined) }
  })
}

/**
 * Files in the order in which they were asked about. A service that says what it read for a turn
 * did not read a file of that turn that it does not list (C-26).
 */
export function toldOf<Asset extends Pick<RunAsset, 'asset_id' | 'name' | 'turn'>>(
  assets: readonly Asset[],
  turns: readonly Pick<RunTurn, 'answer' | 'sources'>[],
): (Asset & Told)[] {
  const answers = turns.map(({ answer = '' }) => answer).join('\n')
  const name_of = new Map(assets.map(({ asset_id, name }) => [asset_id, name]))
  const sources_of = turns.map(({ sources }) => {
    return sources && new Map(sources.map((source) => [source.asset_id, source]))
  })
  const unread = new Set<string>()
  for (const { asset_id, read, why } of turns.flatMap(({ sources = [] }) => sources)) {
    const name = name_of.get(asset_id)
    if (name !== undefined && why) unread.add(unreadLine(name, { is_part: read === 'part', why }))
  }
  const lines = answers.split('\n')
  const told = lines.filter((line) => !unread.has(line)).join('\n')
  const named = namesIn(told, assets.map(ownName))
  return assets.map((asset) => {
    const listed = sources_of[asset.turn]
    const { read = listed && 'not', places = [], why } = listed?.get(asset.asset_id) ?? unlisted
    return { ...asset, read, places, why, is_named: named.has(ownName(asset)) }
  })
}

/** An answer has a space for each control character of a name. */
function ownName({ name }: Pick<RunAsset, 'name'>): string {
  return basename(name).replace(/\p{Cc}+/gu, ' ')
}

const unlisted: Partial<SourceRead> = {}

/** What of so many files was read, such as `9 read whole, 1 not read; 8 named in the answer`. */
export function toldText(files: readonly Partial<Told>[]): string {
  const amounts = [...Object.entries(amount_texts), [undefined, 'not known']].flatMap(
    ([amount, text]) => {
      const count = files.filter(({ read }) => read === amount).length
      return count === 0 ? [] : [{ amount, text: `${formatCount(count)} ${text}` }]
    },
  )
  const is_said = amounts.some(({ amount }) => amount !== undefined)
  const read = is_said ? amounts.map(({ text }) => text).join(', ') : not_said
  const named = files.filter(({ is_named }) => is_named).length
  return `${read}; ${named === 0 ? 'none' : formatCount(named)} named in the answer`
}

/** As `Told`; null stands for undefined in JSON. */
export type ReadOfFile = Partial<Pick<Told, 'places'>> & {
  [Key in 'read' | 'why']?: Told[Key] | null
}

/** How much of one file was read, with places or the reason; undefined: the service says nothing. */
export function readText({ read, places = [], why }: ReadOfFile): string | undefined {
  if (!read) return undefined
  const about = [...places.slice(0, max_places), ...(why ? [why] : [])].join('; ')
  return `${amount_texts[read]}${about === '' ? '' : ` (${about})`}`
}

/** True if the service says that it did not read all of it. */
export function isUnread({ read }: Partial<Told>): boolean {
  return read === 'part' || read === 'not'
}

const not_said = 'the service does not say which it read'
/** Places in one file that a line names. */
const max_places = 5

const amount_texts = { whole: 'read whole', part: 'read in part', not: 'not read' } as const
