/**
 * What lstat says of a file, as far as "did it change?" is concerned. Times are nanoseconds since
 * the Unix epoch. Two looks are of the same bytes only if all four agree: a file can change and
 * keep its size, and tools set mtime at will, but ctime is the kernel's.
 */
export interface FileStat {
  size: number
  mtime_ns: bigint
  ctime_ns: bigint
  inode: bigint
}

/**
 * A file from here on goes alone and is read while it is hashed, so that small ones get their turn
 * in between.
 */
export const large_bytes = 16 * 1_048_576

/** Names one path among those of all folders. */
export function lookKey(folder: string, path: string): string {
  return `${folder}\n${path}`
}

export function sameStat(a: FileStat, b: FileStat): boolean {
  return a.size === b.size && a.mtime_ns === b.mtime_ns && a.ctime_ns === b.ctime_ns && a.inode === b.inode
}

/**
 * Where a path stands on this side.
 *
 * - `seen`: first sight, or its bytes moved since: it waits to be quiet. Intake looks again at
 *   `not_before_ms`.
 * - `present`: settled; its bytes are those of `content`, which tells how far they are on their
 *   way.
 * - `gone`: it was here and is not any more (its folder is online: an offline folder's files keep
 *   their state).
 * - `skipped`: it will not go up, for a reason that lies in the file or the rules; looked at again
 *   when either changes.
 * - `blocked`: it should go up and cannot now. With `not_before_ms` intake tries again then;
 *   without, a person decides.
 */
export type FileState = 'seen' | 'present' | 'gone' | 'skipped' | 'blocked'

/** Why a file is skipped: nothing in it; over `max_file_bytes`; older than the folder's `start`. */
export type SkipReason = 'empty' | 'too_large' | 'before_start'

/**
 * Why a file is blocked: it cannot be opened or read; it kept changing past `settle_cap_ms`; it
 * leads out of its folder; the brake holds it until a person accepts it.
 */
export type BlockReason = 'unreadable' | 'changing' | 'outside' | 'brake'

/** A file as the ledger knows it, handed to whoever looks at it again. */
export interface KnownFile {
  path: string
  state: FileState
  stat: FileStat
  /** First sight of this version of the file, Unix ms. */
  seen_ms: number
  not_before_ms: number | undefined
  reason: string | undefined
  /** More about the reason, for people. */
  detail: string | undefined
  /** A person let it pass: neither the brake nor the folder's start holds it. */
  accepted: boolean
}

/**
 * What a person can do about paths that a scan could not read, by the codes that it got (errno(3)).
 */
export function adviceOnUnreadable(codes: readonly string[]): string {
  const advice = new Set(codes.map((code) => advices[code] ?? 'look at the disk: dmesg'))
  return [...advice].join('; ')
}

/**
 * errno(3) for what lies below a mount point in a folder: it is covered, not gone, and mount points
 * are not crossed.
 */
export const other_disk_code = 'EXDEV'

/** Of one file, for people. */
export function unreadableText(code: string): string {
  if (code !== other_disk_code) return `it cannot be read (${code})`
  return 'another disk is mounted above it, and not entered: take that away, make it a folder of its own, or exclude it'
}

const right = 'give this user the right'
const advices: Readonly<Record<string, string>> = {
  EACCES: right,
  EPERM: right,
  ENAMETOOLONG: 'shorten the path: the system takes 4,096 bytes',
  EMFILE: 'allow more open files: LimitNOFILE',
  ENFILE: 'allow more open files: fs.file-max',
}

/** Which files the first scan of a folder takes up. */
export type FolderStart = { kind: 'all' } | { kind: 'from_now' } | { kind: 'newer_than'; age_ms: number }

/**
 * Whether the first scan leaves a file out as too old. `started_ms`: when the folder was first
 * taken up.
 */
export function isBeforeStart(start: FolderStart, stat: FileStat, started_ms: number): boolean {
  const [mtime_ms, ctime_ms] = [stat.mtime_ns, stat.ctime_ns].map((ns) => Number(ns / 1_000_000n)) as [number, number]
  switch (start.kind) {
    case 'all':
      return false
    case 'newer_than':
      return mtime_ms < started_ms - start.age_ms
    case 'from_now':
      return Math.max(mtime_ms, ctime_ms) < started_ms
  }
}

/** `watching 1,980 files (chokidar)`, with the reason for this watcher where there is one. */
export function watchingText({ watcher, reason }: { watcher: string; reason: string }): string {
  if (watcher === 'scan') return `not watching, scans find what changes: ${reason}`
  const [, files, why = ''] = /^((?:more than )?[\d,]+ files?)(.*)$/s.exec(reason) ?? []
  return files === undefined ? `watching with ${watcher}: ${reason}` : `watching ${files} (${watcher}${why})`
}

/** The line of a .sluiceignore at the folder's root that leaves out this file alone. */
export function excludeLine(path: string): string {
  return `/${path.replaceAll(/[\\*?[\] ]/g, '\\$&')}`
}
