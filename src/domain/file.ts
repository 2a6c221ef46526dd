import { systemWords } from '../base/run/errors.ts'
import { minute_ms } from '../base/time/time.ts'

/**
 * Times are nanoseconds since the Unix epoch. Two checks saw the same bytes only if all four agree:
 * a file can keep its size, and tools set mtime as they like, but only the kernel sets ctime.
 */
export interface FileStat {
  size: number
  mtime_ns: bigint
  ctime_ns: bigint
  /** 0: it counts for nothing, because a remount changes it (disk/root/filesystems.ts). */
  inode: bigint
}

/** Bytes. Large files are hashed in a lane of their own, so that small ones do not wait. */
export const large_bytes = 16 * 1_048_576

export function checkKey(folder: string, path: string): string {
  return `${folder}\n${path}`
}

export function sameStat(a: FileStat, b: FileStat): boolean {
  return (
    a.size === b.size &&
    a.mtime_ns === b.mtime_ns &&
    a.ctime_ns === b.ctime_ns &&
    (a.inode === b.inode || a.inode === 0n || b.inode === 0n)
  )
}

/** Paths are ordered by bytes of UTF-8. In UTF-16, surrogates would sort before U+E000. */
export function isBefore(a: string, b: string): boolean {
  const length = Math.min(a.length, b.length)
  for (let index = 0; index < length; index++) {
    const x = a.charCodeAt(index)
    const y = b.charCodeAt(index)
    if (x !== y) return rank(x) < rank(y)
  }
  return a.length < b.length
}

/** Surrogates stand for code points above the Basic Multilingual Plane, so they come last. */
function rank(unit: number): number {
  return unit >= 0xd800 && unit <= 0xdfff ? unit + 0x10000 : unit
}

/**
 * State of a path on this machine.
 *
 * - `seen`: it is new or has changed. Intake checks it again at `not_before_ms` until it is quiet.
 * - `present`: it is settled. Its bytes are those of `content`, whose state shows their progress.
 * - `gone`: it was here and no longer is. The files of an offline folder keep their state.
 * - `skipped`: it is not uploaded, because of the file itself or the rules, until either changes.
 * - `blocked`: it should be uploaded and cannot now. Without `not_before_ms` a user decides.
 */
export type FileState = 'seen' | 'present' | 'gone' | 'skipped' | 'blocked'

export interface KnownFile {
  path: string
  state: FileState
  stat: FileStat
  /** First sight of this version of the file, Unix ms. */
  seen_ms: number
  /**
   * Unix ms since when it is blocked for this reason, or settles. Undefined in any other state, and
   * if nobody checked the file meanwhile.
   */
  since_ms: number | undefined
  /**
   * When its content became known, Unix ms; undefined if it is not, or if the file was there before
   * the folder was configured.
   */
  arrived_ms: number | undefined
  not_before_ms: number | undefined
  reason: string | undefined
  detail: string | undefined
  /** True if it shows a loss when it is missing (`isEvidence` in ledger/rows/file-rows.ts). */
  is_evidence: boolean
  /** True if a user released it: neither the upload limit nor the folder's `start` holds it. */
  accepted: boolean
}

/** True for a file that was seen new or changed, and that has not been quiet since. */
export function mayChange({ state, reason }: Pick<KnownFile, 'state' | 'reason'>): boolean {
  return state === 'seen' || (state === 'blocked' && reason === 'changing')
}

/** A check that is later than this says nothing about the time before: no daemon was running. */
const max_overdue_ms = 10 * minute_ms

/**
 * Unix ms since when the file changes, as far as its checks show: now, if it was quiet, skipped or
 * blocked for another reason, if its check is long overdue, or if the clock was turned back.
 */
export function changingSince(
  known: Pick<KnownFile, 'state' | 'reason' | 'since_ms' | 'not_before_ms'>,
  now_ms: number,
): number {
  const { since_ms = now_ms, not_before_ms = now_ms } = known
  const is_overdue = now_ms - not_before_ms > max_overdue_ms
  return is_overdue || !mayChange(known) ? now_ms : Math.min(since_ms, now_ms)
}

/** Advice to users about paths that a scan could not read, by the errno(3) codes that it got. */
export function adviceOnUnreadable(codes: readonly string[]): string {
  const advice = new Set(codes.map((code) => unreadable[code]?.advice ?? check_disk))
  return [...advice].join('; ')
}

/** errno(3) for files below a mount point: hidden, not gone, as scans do not cross mount points. */
export const other_disk_code = 'EXDEV'

export function unreadableText(code: string): string {
  if (code !== other_disk_code)
    return unreadable[code]?.why ?? `it cannot be read (${systemWords(code)})`
  return 'another disk is mounted above it, and not entered: take that away, make it a folder of its own, or exclude it'
}

const check_disk = 'check the disk: dmesg'
const no_right = { why: 'this user may not read it', advice: 'give this user the right' }
const too_many_open = 'too many files are open to read it'

/** Words for the codes that users meet. Any other code is shown as it is. */
const unreadable: Readonly<Record<string, { why: string; advice: string }>> = {
  EACCES: no_right,
  EPERM: no_right,
  EBUSY: { why: 'another program has locked it', advice: 'close it in the other program' },
  EIO: { why: 'its disk reports an error', advice: check_disk },
  ENAMETOOLONG: {
    why: 'its path is too long to read it',
    advice: 'shorten the path: the system takes 4,096 bytes',
  },
  EMFILE: { why: too_many_open, advice: 'allow more open files: LimitNOFILE' },
  ENFILE: { why: too_many_open, advice: 'allow more open files: fs.file-max' },
}

/**
 * `watching 1,980 files`, with the reason for this watcher if there is one. `is_now`: the files
 * were counted now. A watcher that was chosen earlier may watch more of them by now, or fewer.
 */
export function watchingText(
  { watcher, reason }: { watcher: string; reason: string },
  is_now = true,
): string {
  if (watcher === 'scan') return `not watching, scans find what changes: ${reason}`
  const [, files, why = ''] = /^((?:more than )?[\d,]+ files?)(.*)$/s.exec(reason) ?? []
  if (files === undefined) return `watching: ${reason}`
  return `watching${is_now ? ` ${files}` : ''}${why.replace(/^[,;] (.*)$/s, ' ($1)')}`
}

/** Line of a .sluiceignore at the folder's root that excludes only this file. */
export function excludeLine(path: string): string {
  return `/${path.replaceAll(/[\\*?[\] ]/g, '\\$&')}`
}

/** The page of a file, below the path of Sluice. */
export function filePath({ folder, path }: { folder: string; path: string }): string {
  return `/file?${String(new URLSearchParams({ folder, path }))}`
}
