import { extname } from 'node:path'
import { runLine } from '../base/text/prompt-lines.ts'
import { isoTime, localTime } from '../base/time/time.ts'
import type { RunWork } from '../ledger/prompt-work.ts'
import { type Coverage, coverageLine, givenUpNotes } from './plan/coverage.ts'
import { type ToldFile, toldFiles } from './report/told.ts'

/** The content of a run that its report needs; the same before and after it is written. */
export type RunContent = Omit<RunWork, 'state'>

const manifest_format = 'sluice-run'
const manifest_version = 1

export type Manifest = ReturnType<typeof composeManifest>

/**
 * Data of a run, stored beside its report. It suffices to check the coverage line, to repeat the
 * question, and to restore in a lost ledger what the report covers. Times are ISO 8601 UTC, except
 * `due_local`.
 */
export function composeManifest(run: RunContent, coverage: Coverage, zone: string, now_ms: number) {
  const { prompt, project_id, prompt_began_ms: began_ms, cause, due_ms, notes } = run
  const files = toldFiles(run)
  const optionalTime = (at_ms: number | undefined) =>
    at_ms === undefined ? undefined : isoTime(at_ms)
  return {
    format: manifest_format,
    version: manifest_version,
    prompt,
    project_id,
    /**
     * Unix ms when the prompt began, in this ledger or an earlier one. It has not covered files
     * that came later and are in no manifest.
     */
    began_ms,
    cause,
    due_ms,
    due: isoTime(due_ms),
    due_local: localTime(due_ms, zone),
    run_line: runLine(prompt, due_ms, zone),
    composed: isoTime(now_ms),
    chat_ids: chatIdsOf(run),
    /** Why the answer is no report; absent for an ordinary one. */
    empty: run.empty,
    /** Covered assets; `turn` is the turn whose scope has the asset, from 0. */
    assets: files.filter(({ fate }) => fate !== 'left').map(assetOf),
    /** Assets that the run asked about and that the next one asks about again. */
    left: files.filter(({ fate }) => fate === 'left').map(assetOf),
    refusals: run.refusals.map(({ content: _, ...refusal }) => refusal),
    coverage,
    coverage_line: coverageLine(coverage, zone, files),
    /** `body`: the exact request that was sent. */
    turns: run.turns.map(
      ({ body, chat_id, chat_removed, message_id, asked_ms, answered_ms, answer }) => ({
        body,
        chat_id,
        chat_removed,
        message_id,
        asked: optionalTime(asked_ms),
        answered: optionalTime(answered_ms),
        answer,
      }),
    ),
    notes: [...notes, ...givenUpNotes(coverage, files, run.empty)],
  }
}

function assetOf({ asset_id, md5, size, name, arrived_ms, turn, read, places, ...told }: ToldFile) {
  const { why, is_named: named, fate } = told
  const read_of = { read, ...(places.length > 0 && { places }), why, named }
  const given_up = fate === 'given_up' ? true : undefined
  return { asset_id, md5, size, name, arrived: isoTime(arrived_ms), turn, ...read_of, given_up }
}

/** Each chat that the service still has once, in the order of the turns. */
export function chatIdsOf({ turns }: Pick<RunWork, 'turns'>): string[] {
  const left = turns.flatMap(({ chat_id, chat_removed }) => (chat_removed ? [] : (chat_id ?? [])))
  return [...new Set(left)]
}

/** Beside the report. Only a text ending is replaced: `digest-2026.11` is not `digest-2026`. */
export function manifestPath(report_path: string): string {
  const ending = extname(report_path)
  const stem = /^\.(md|markdown|txt)$/i.test(ending)
    ? report_path.slice(0, -ending.length)
    : report_path
  return `${stem}.json`
}

/** The fields that Sluice reads back. */
export type ManifestRead = Pick<
  Manifest,
  'prompt' | 'project_id' | 'began_ms' | 'due_ms' | 'assets' | 'empty'
>

/** Undefined for other JSON. Throws SyntaxError for no JSON, Error for an unknown version. */
export function parseManifest(text: string): ManifestRead | undefined {
  const value = JSON.parse(text) as Partial<Manifest> | null
  if (typeof value !== 'object' || value === null || value.format !== manifest_format)
    return undefined
  const { version, prompt, project_id, began_ms, due_ms, assets, empty } = value
  if (version !== manifest_version)
    throw new Error(
      `its version is ${String(version)}, but this program reads version ${manifest_version}`,
    )
  const is_whole =
    typeof prompt === 'string' &&
    typeof project_id === 'string' &&
    Number.isSafeInteger(due_ms) &&
    Number.isSafeInteger(began_ms) &&
    Array.isArray(assets)
  if (!is_whole || !assets.every(isFingerprint))
    throw new Error('a field is missing or has the wrong type')
  return { prompt, project_id, began_ms: began_ms!, due_ms: due_ms!, assets, empty }
}

function isFingerprint(asset: unknown): boolean {
  if (typeof asset !== 'object' || asset === null) return false
  const { md5, size } = asset as { md5?: unknown; size?: unknown }
  return (
    typeof md5 === 'string' &&
    /^[0-9a-f]{32}$/.test(md5) &&
    Number.isSafeInteger(size) &&
    (size as number) >= 0
  )
}

/** Bytes. A larger manifest is not read, because Sluice writes none. */
export const max_manifest_bytes = 64 * 1024 * 1024

export interface ManifestText {
  text: string
  /** Text for the operator about the parts that did not fit; undefined if all did. */
  left_out: string | undefined
}

/**
 * Formats a manifest that Sluice can read back. If it is too large, it first loses its indentation,
 * then what the report and the ledger have too. At last only what a lost ledger needs remains (what
 * the report covers), which fits for half a million assets.
 */
export function manifestText(manifest: Manifest, max_bytes = max_manifest_bytes): ManifestText {
  const { turns, assets } = manifest
  const brief_turns = turns.map(({ body: _, answer: __, ...turn }) => turn)
  const bare_assets = assets.map(({ md5, size }) => ({ md5, size }))
  const texts = 'the questions and answers'
  const all = `${texts}, the refusals, and all of the files but md5 and size`
  const tries: [left_out: string | undefined, value: object, indent?: number][] = [
    [undefined, manifest, 2],
    [undefined, manifest],
    [texts, { ...manifest, left_out: texts, turns: brief_turns }],
    [
      all,
      {
        ...manifest,
        left_out: all,
        turns: brief_turns,
        refusals: [],
        left: [],
        assets: bare_assets,
      },
    ],
  ]
  for (const [left_out, value, indent] of tries) {
    const text = textOf(value, indent)
    if (text !== undefined && Buffer.byteLength(text) <= max_bytes) return { text, left_out }
  }
  throw new Error(
    `the manifest of ${assets.length} files is larger than ${max_bytes} bytes, whatever is left out of it`,
  )
}

/** Undefined if the text would exceed the maximum length of a string. */
function textOf(value: object, indent: number | undefined): string | undefined {
  try {
    return `${JSON.stringify(value, undefined, indent)}\n`
  } catch (error) {
    if (error instanceof RangeError) return undefined
    throw error
  }
}
