import { formatBytes, formatDuration } from '../base/text/format.ts'
import type { FileStat, KnownFile } from './file.ts'
import { isPlaceholder } from './placeholder.ts'

// A new reason to skip files is one entry of `skip_reasons`. A new reason to block them is one of
// `block_reasons`, and the place in sync/ that records `file_blocked` with it.

/** Files that the first scan of a folder includes. */
type FolderStart = { kind: 'all' } | { kind: 'from_now' } | { kind: 'newer_than'; age_ms: number }

/** Settings of a folder that skip files. If one changes, skipped files are checked again. */
export interface SkipSettings {
  name: string
  max_file_bytes: number
  start: FolderStart
}

export function skipSettings({ name, max_file_bytes, start }: SkipSettings): SkipSettings {
  return { name, max_file_bytes, start }
}

export interface FileHistory {
  known: Pick<KnownFile, 'stat' | 'reason' | 'accepted' | 'is_evidence'> | undefined
  /** Unix ms when the folder was set up; its setting `start` refers to it. */
  started_ms: number
  /** True once a full scan has ended: files found later are arrivals. */
  first_scan_done: boolean
  /** True for a file that `start` left out at another path and that was moved here. */
  moved_from_before_start: boolean
}

export interface FileToJudge {
  folder: SkipSettings
  path: string
  stat: FileStat
  /** Undefined while a scan reads small files on its way: it does not ask the ledger. */
  history: FileHistory | undefined
}

interface ReasonTexts {
  /** Label in `sluice plan`, for a number of files. */
  in_plan: string
  /** True if `sluice accept` uploads the files. */
  can_be_accepted: boolean
}

interface SkipEntry extends ReasonTexts {
  /** Without `history`, true in doubt: a later check then decides. */
  skips: (file: FileToJudge) => boolean
  /** The reason in words, with its setting: recorded in the ledger and shown by all commands. */
  rule: (folder: SkipSettings) => string
  /** When or how the file is uploaded all the same, for `sluice explain`. */
  cure: string
}

/** Reasons to skip a file. The first one that applies counts. */
export const skip_reasons = {
  placeholder: {
    skips: ({ path, stat, history }) => isPlaceholder(path, stat, history?.known),
    rule: () => 'it holds one byte at most, as a placeholder of a sync client does',
    cure: 'Sluice uploads it once it holds more; until then, what it held before stays in the project',
    in_plan: 'one byte at most: placeholders of a sync client',
    can_be_accepted: false,
  },
  empty: {
    skips: ({ stat }) => stat.size === 0,
    rule: () => 'it has no bytes, so there is nothing to ask about',
    cure: 'Sluice uploads it as soon as it has bytes',
    in_plan: 'empty',
    can_be_accepted: false,
  },
  too_large: {
    skips: ({ stat, folder }) => stat.size > folder.max_file_bytes,
    rule: ({ name, max_file_bytes }) =>
      `it is larger than ${formatBytes(max_file_bytes)} (folders.${name}.max_file_bytes)`,
    cure: 'a larger max_file_bytes of this folder allows it',
    in_plan: 'larger than max_file_bytes',
    can_be_accepted: false,
  },
  before_start: {
    skips: isBeforeStart,
    rule: ({ name, start }) => `${startText(start)} (folders.${name}.start)`,
    cure: 'Sluice uploads it when its bytes change',
    in_plan: 'older than start allows',
    can_be_accepted: true,
  },
} as const satisfies Record<string, SkipEntry>

export type SkipReason = keyof typeof skip_reasons

export const block_reasons = {
  unreadable: { in_plan: 'cannot be read by this user', can_be_accepted: false },
  /** It kept changing beyond `settle_cap_ms`. */
  changing: { in_plan: 'changing just now', can_be_accepted: false },
  outside: { in_plan: 'outside the folder, behind a symbolic link', can_be_accepted: false },
  upload_limit: { in_plan: 'held by the upload limit', can_be_accepted: true },
} as const satisfies Record<string, ReasonTexts>

export type BlockReason = keyof typeof block_reasons

export const file_reasons: Record<SkipReason | BlockReason, ReasonTexts> = {
  ...skip_reasons,
  ...block_reasons,
}

const in_order = Object.keys(skip_reasons) as SkipReason[]

export function skipReason(file: FileToJudge): SkipReason | undefined {
  return in_order.find((reason) => skip_reasons[reason].skips(file))
}

/**
 * A file that the first scan finds too old stays out until its size or mtime changes. A later
 * arrival is wanted, however old its times are, but a left-out file that was moved is no arrival.
 */
function isBeforeStart({ folder: { start }, stat, history }: FileToJudge): boolean {
  if (start.kind === 'all') return false
  if (history === undefined) return true
  const { known, started_ms, first_scan_done, moved_from_before_start } = history
  if (known?.accepted) return false
  // A file that was left out stays so for its mtime alone: a move or a chmod changes its ctime.
  const is_still_old = isOlder(start, { ...stat, ctime_ns: stat.mtime_ns }, started_ms)
  if (known?.reason === 'before_start') {
    return known.stat.size === stat.size && known.stat.mtime_ns === stat.mtime_ns && is_still_old
  }
  if (moved_from_before_start) return is_still_old
  return known === undefined && !first_scan_done && isOlder(start, stat, started_ms)
}

/** True if the file may be one that `start` left out at another path; the ledger then decides. */
export function mayBeMoved(
  { start }: Pick<SkipSettings, 'start'>,
  stat: FileStat,
  history: Omit<FileHistory, 'moved_from_before_start' | 'known'> & {
    known: Pick<KnownFile, 'state'> | undefined
  },
): boolean {
  const { known, started_ms, first_scan_done } = history
  if (start.kind === 'all' || (known?.state ?? 'gone') !== 'gone') return false
  // During the first scan, only a file that was renamed since the start can be a known one here.
  return first_scan_done || Number(stat.ctime_ns / 1_000_000n) >= started_ms
}

type ChosenStart = Exclude<FolderStart, { kind: 'all' }>

function isOlder(
  start: ChosenStart,
  { mtime_ns, ctime_ns }: FileStat,
  started_ms: number,
): boolean {
  const mtime_ms = Number(mtime_ns / 1_000_000n)
  const ctime_ms = Number(ctime_ns / 1_000_000n)
  if (start.kind === 'newer_than') return mtime_ms < started_ms - start.age_ms
  return Math.max(mtime_ms, ctime_ms) < started_ms
}

function startText(start: FolderStart): string {
  return start.kind === 'newer_than'
    ? `it was older than ${formatDuration(start.age_ms)} when the folder was set up`
    : 'it was there before the folder was set up'
}
