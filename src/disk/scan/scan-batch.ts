import type { BigIntStats } from 'node:fs'
import type { FileStat } from '../../domain/file.ts'

/** Names in path order, as typed arrays that threads share: objects cost a quarter more. */
export interface ListedBatch {
  count: number
  /** Paths relative to the root in UTF-8, one after the other. */
  names: Uint8Array
  /** Where each path ends in `names`. */
  ends: Uint32Array
}

/** Files of a scan in path order. */
export interface ScanBatch extends ListedBatch {
  /** Four for each file: size, mtime_ns, ctime_ns, inode; an inode of 0 where the filesystem keeps none (filesystems.ts). */
  stats: BigInt64Array
  /** Of all of the above: two batches with the same are the same. */
  digest: string
  /** 32 characters for each file: its md5, of exactly the bytes that had this stat, or `no_md5`. Empty: none was read. */
  md5s: string
}

/** Stands for a file that was not read on the way: large, not quiet yet, or not to be read by us. */
export const no_md5 = '-'.repeat(32)

/** Undefined: it was not read on the way. */
export function entryMd5({ md5s }: Pick<ScanBatch, 'md5s'>, index: number): string | undefined {
  const md5 = md5s.slice(32 * index, 32 * index + 32)
  return md5 === '' || md5 === no_md5 ? undefined : md5
}

/** Memory for one batch, the arrays as long as they may become. */
export interface BatchRoom {
  names: Uint8Array
  ends: Uint32Array
  stats: BigInt64Array
}

/**
 * Shared by the threads of a scan, batch after batch: nothing is copied on its way, and nothing is left behind. Buffers that are handed
 * over lie about until their last owner clears up, which is late, for they look small to it: 25 MB in a scan of 200,000 files.
 */
export function createBatchRoom(most_entries: number): BatchRoom {
  return {
    names: new Uint8Array(new SharedArrayBuffer(roomForNames_bytes(most_entries))),
    ends: new Uint32Array(new SharedArrayBuffer(Uint32Array.BYTES_PER_ELEMENT * most_entries)),
    stats: new BigInt64Array(new SharedArrayBuffer(4 * BigInt64Array.BYTES_PER_ELEMENT * most_entries)),
  }
}

export function putListed(room: BatchRoom, { names, ends }: ListedBatch): void {
  room.names.set(names)
  room.ends.set(ends)
}

export function entryPath(batch: Pick<ListedBatch, 'names' | 'ends'>, index: number): string {
  const { names, ends } = batch
  const start = index === 0 ? 0 : (ends[index - 1] ?? 0)
  const bytes = names instanceof Buffer ? names : Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  return bytes.toString('utf8', start, ends[index])
}

export function entryStat({ stats }: Pick<ScanBatch, 'stats'>, index: number): FileStat {
  const at = 4 * index
  if (index < 0 || at + 3 >= stats.length) throw new RangeError(`no entry ${index}`)
  return { size: Number(stats[at]), mtime_ns: stats[at + 1]!, ctime_ns: stats[at + 2]!, inode: stats[at + 3]! }
}

/** In nanoseconds: what 64 bits hold ends in the year 2262, and files can have been given any year. */
const most_ns = 2n ** 63n - 1n

/** As it is kept: a time beyond counts as the last one. */
function keptTime(ns: bigint): bigint {
  if (ns > most_ns) return most_ns
  return ns < -most_ns ? -most_ns : ns
}

/** An inode above 2^63 comes as a negative number, from every call the same. */
export function fileStatOf({ size, mtimeNs, ctimeNs, ino }: BigIntStats): FileStat {
  return { size: Number(size), mtime_ns: keptTime(mtimeNs), ctime_ns: keptTime(ctimeNs), inode: BigInt.asIntN(64, ino) }
}

export function putStat(stats: BigInt64Array, index: number, stat: FileStat): void {
  const at = 4 * index
  stats[at] = BigInt(stat.size)
  stats[at + 1] = stat.mtime_ns
  stats[at + 2] = stat.ctime_ns
  stats[at + 3] = stat.inode
}

const bytes_per_entry = 96
const least_for_names_bytes = 65_536
/** PATH_MAX bounds what can be read: a path is that of such a directory, and a name. */
const most_path_bytes = 8_192
/** Smaller batches are for tests, who count them. */
const least_for_landmarks = 64

function roomForNames_bytes(most_entries: number): number {
  return Math.max(most_entries * bytes_per_entry, least_for_names_bytes) + most_path_bytes
}

/**
 * Batches of at most so many entries, that end at landmarks where they can: at names that are chosen by their own characters. So a
 * file that came or went moves the border of one batch or two, and all others are the same from scan to scan. Where paths are long
 * a batch ends early: it always finds its place in a `BatchRoom`.
 */
export function createBatchBuilder(most_entries: number) {
  const between = most_entries < least_for_landmarks ? 0 : most_entries >> 2
  const names = Buffer.allocUnsafeSlow(roomForNames_bytes(most_entries))
  const ends = new Uint32Array(most_entries)
  let count = 0
  let used = 0
  let is_at_landmark = false

  return {
    get count(): number {
      return count
    },
    /** True when the batch is to be taken before the next name is added. */
    get is_full(): boolean {
      return is_at_landmark || count === most_entries || used > names.length - most_path_bytes
    },
    /** `raw_path` has one character for each byte of the path (latin1), so that its bytes are the name's own. */
    add(raw_path: string): void {
      const begin = used
      used += names.write(raw_path, used, 'latin1')
      ends[count] = used
      count += 1
      is_at_landmark = between > 0 && count >= between && mixed(names, begin, used) % between === 0
    },
    /** The batch so far, which stands until the next `add`: that begins a new one in the same memory. */
    take(): ListedBatch {
      const batch = { count, names: names.subarray(0, used), ends: ends.subarray(0, count) }
      count = 0
      used = 0
      is_at_landmark = false
      return batch
    },
  }
}

/** The end of a path tells it from its neighbours. */
const mixed_bytes = 24

/** FNV-1a of the last bytes; its low bits alone would be those of the last byte. */
function mixed(names: Uint8Array, begin: number, end: number): number {
  let hash = 0x811c9dc5
  for (let at = Math.max(begin, end - mixed_bytes); at < end; at += 1) hash = Math.imul(hash ^ names[at]!, 0x01000193)
  return (hash ^ (hash >>> 15)) >>> 0
}
