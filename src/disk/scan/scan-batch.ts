import type { BigIntStats } from 'node:fs'
import type { FileStat } from '../../domain/file.ts'
import type { MeasuredTotal } from './walk-report.ts'

/** Files in path order, as typed arrays that threads share: objects cost a quarter more. */
export interface ListedBatch {
  count: number
  /** Paths relative to the root in UTF-8, one after the other. */
  names: Uint8Array
  /** The end of each path in `names`. */
  ends: Uint32Array
}

export interface ScanBatch extends ListedBatch {
  /** Four per file: size, mtime_ns, ctime_ns, inode (0 if a remount changes it: filesystems.ts). */
  stats: BigInt64Array
  /** Digest of all fields above: equal digests mean equal paths and stats. */
  digest: string
  /** 32 characters per file: the md5 of the bytes with this very stat, or `no_md5`. Empty: none. */
  md5s: string
}

/** Stands for the md5 of a file that was not hashed: large, empty, not quiet yet, or unreadable. */
export const no_md5 = '-'.repeat(32)

export function entryMd5({ md5s }: Pick<ScanBatch, 'md5s'>, index: number): string | undefined {
  const md5 = md5s.slice(32 * index, 32 * index + 32)
  return md5 === '' || md5 === no_md5 ? undefined : md5
}

/** Memory for one batch, with arrays of maximum length. */
export interface BatchRoom {
  names: Uint8Array
  ends: Uint32Array
  stats: BigInt64Array
}

/**
 * The threads of a scan share these for one batch after the other. Transferred buffers seem small
 * to the garbage collector, which frees them late: 25 MB in a scan of 200,000 files.
 */
export function createBatchRoom(max_entries: number): BatchRoom {
  return {
    names: new Uint8Array(new SharedArrayBuffer(roomForNames_bytes(max_entries))),
    ends: new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT * max_entries)),
    stats: new BigInt64Array(
      new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT * max_entries),
    ),
  }
}

export function putListed(room: BatchRoom, { names, ends }: ListedBatch): void {
  room.names.set(names)
  room.ends.set(ends)
}

/** How much of a buffer a measured batch fills. `batchIn` makes the batch from both. */
export interface Measured extends Pick<ScanBatch, 'count' | 'digest' | 'md5s'> {
  names_bytes: number
  total: MeasuredTotal
}

export function batchIn(
  { names, ends, stats }: BatchRoom,
  measured: Omit<Measured, 'total'>,
): ScanBatch {
  const { count, names_bytes, digest, md5s } = measured
  return {
    count,
    names: names.subarray(0, names_bytes),
    ends: ends.subarray(0, count),
    stats: stats.subarray(0, 4 * count),
    digest,
    md5s,
  }
}

export function entryPath(batch: Pick<ListedBatch, 'names' | 'ends'>, index: number): string {
  const { names, ends } = batch
  const start = index === 0 ? 0 : (ends[index - 1] ?? 0)
  const bytes =
    names instanceof Buffer ? names : Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  return bytes.toString('utf8', start, ends[index])
}

export function entryStat({ stats }: Pick<ScanBatch, 'stats'>, index: number): FileStat {
  const at = 4 * index
  if (index < 0 || at + 3 >= stats.length) throw new RangeError(`no entry ${index}`)
  return {
    size: Number(stats[at]),
    mtime_ns: stats[at + 1]!,
    ctime_ns: stats[at + 2]!,
    inode: stats[at + 3]!,
  }
}

/** Nanoseconds in 64 bits end in the year 2262, and files can have any year. */
const max_ns = 2n ** 63n - 1n

function keptTime(ns: bigint): bigint {
  if (ns > max_ns) return max_ns
  return ns < -max_ns ? -max_ns : ns
}

/** An inode above 2^63 becomes the same negative number in every call. */
export function fileStatOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): FileStat {
  return {
    size: Number(size),
    mtime_ns: keptTime(mtimeNs),
    ctime_ns: keptTime(ctimeNs),
    inode: BigInt.asIntN(64, ino),
  }
}

export function putStat(stats: BigInt64Array, index: number, stat: FileStat): void {
  const at = 4 * index
  stats[at] = BigInt(stat.size)
  stats[at + 1] = stat.mtime_ns
  stats[at + 2] = stat.ctime_ns
  stats[at + 3] = stat.inode
}

const bytes_per_entry = 96
const min_for_names_bytes = 65_536
/** Above any readable path: PATH_MAX (4,096) limits that of its directory, and a name is short. */
const max_path_bytes = 8_192
/** Smaller batches end at no landmark: they are for tests, which count them. */
const min_for_landmarks = 64

function roomForNames_bytes(max_entries: number): number {
  return Math.max(max_entries * bytes_per_entry, min_for_names_bytes) + max_path_bytes
}

/**
 * Builds batches that end at landmarks where possible: at names chosen by their own characters. So
 * a new or deleted file moves the border of one or two batches, and all others stay the same from
 * scan to scan. Long paths end a batch early: it always fits a `BatchRoom`.
 */
export function createBatchBuilder(max_entries: number) {
  const between = max_entries < min_for_landmarks ? 0 : max_entries >> 2
  const names = Buffer.allocUnsafeSlow(roomForNames_bytes(max_entries))
  const ends = new Uint32Array(max_entries)
  let count = 0
  let used = 0
  let is_at_landmark = false

  return {
    get count(): number {
      return count
    },
    /** True if the batch must be taken before the next `add`. */
    get is_full(): boolean {
      return is_at_landmark || count === max_entries || used > names.length - max_path_bytes
    },
    /** `raw_path` has one character per byte (latin1), so its bytes are the name's own. */
    add(raw_path: string): void {
      const begin = used
      used += names.write(raw_path, used, 'latin1')
      ends[count] = used
      count += 1
      is_at_landmark = between > 0 && count >= between && mixed(names, begin, used) % between === 0
    },
    /** The batch so far, valid until the next `add` begins another in the same memory. */
    take(): ListedBatch {
      const batch = { count, names: names.subarray(0, used), ends: ends.subarray(0, count) }
      count = 0
      used = 0
      is_at_landmark = false
      return batch
    },
  }
}

/** The end of a path distinguishes it from its neighbours. */
const mixed_bytes = 24

/** FNV-1a of the last bytes. Its low bits alone would be those of the last byte. */
function mixed(names: Uint8Array, begin: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = Math.max(begin, end - mixed_bytes); at < end; at += 1)
    hash = Math.imul(hash ^ names[at]!, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
