import { createHash } from 'node:crypto'
import { type BigIntStats, closeSync, lstatSync } from 'node:fs'
import { codeOf } from '../../base/run/errors.ts'
import type { FileStat } from '../../domain/file.ts'
import { type SkipSettings, skipReason } from '../../domain/file-reasons.ts'
import { isBlank } from '../../domain/placeholder.ts'
import { entryKind, isGone } from './directory-names.ts'
import { createDirectories, hashSmall, hasStat, openToRead, statOpen } from './read-file.ts'
import { type BatchRoom, fileStatOf, type Measured, no_md5, putStat } from './scan-batch.ts'
import { createMeasuredTotal } from './walk-report.ts'

export interface MeasureOptions {
  root: string
  keeps_inodes: boolean
  /** Also hashes small files during their check; undefined: no file is hashed. */
  hasher?: SmallHasher | undefined
  /** Called for every file, because a share may be slow. */
  progressed: () => void
}

const options = { bigint: true, throwIfNoEntry: false } as const

/**
 * Checks each listed file once, which is most of a scan's cost. Leaves out files that are gone,
 * replaced or unreadable by now. `room` holds `listed` files, and then the results.
 */
export function measureBatch(room: BatchRoom, listed: number, measure: MeasureOptions): Measured {
  const { root, keeps_inodes, hasher, progressed } = measure
  const base = root.endsWith('/') ? root : `${root}/`
  const { names, ends, stats } = room
  const bytes = Buffer.from(names.buffer, names.byteOffset, names.byteLength)
  const total = createMeasuredTotal()
  let count = 0
  let used = 0
  const md5s: string[] = []
  for (let index = 0, begin = 0; index < listed; index += 1) {
    const end = ends[index]!
    const path = bytes.toString('utf8', begin, end)
    progressed()
    const md5 = hasher?.hash(path, stats, count)
    if (md5 !== undefined) total.file(Number(stats[4 * count]))
    if (md5 !== undefined || checkEntry(base + path, path, stats, count, total)) {
      if (hasher) md5s.push(md5 ?? no_md5)
      if (used !== begin) bytes.copyWithin(used, begin, end)
      used += end - begin
      ends[count] = used
      if (!keeps_inodes) stats[4 * count + 3] = 0n
      count += 1
    }
    begin = end
  }
  hasher?.rest()
  const digest = createHash('sha256')
    .update(names.subarray(0, used))
    .update(ends.subarray(0, count))
    .update(stats.subarray(0, 4 * count))
    .digest('hex')
  return { count, names_bytes: used, digest, md5s: md5s.join(''), total: total.summary() }
}

/** True for a file: its stat is then at `at`. */
function checkEntry(
  absolute: string,
  path: string,
  stats: BigInt64Array,
  at: number,
  total: ReturnType<typeof createMeasuredTotal>,
): boolean {
  let stat: BigIntStats | undefined
  try {
    stat = lstatSync(absolute, options)
  } catch (error) {
    if (!isGone(error)) total.unreadable(path, error)
  }
  if (stat === undefined) return false
  const kind = entryKind(stat.mode)
  if (kind !== 'file') {
    // A directory in its place was made after the walk passed.
    if (kind !== 'directory') total.special(kind)
    return false
  }
  putStat(stats, at, fileStatOf(stat))
  total.file(Number(stat.size))
  return true
}

export interface HashRule {
  /** Unix ns; a file whose bytes or inode changed later may still be written to. */
  quiet_before_ns: bigint
  folder: SkipSettings
}

/** Larger files wait for the examiner. Where known files begin, some batches are read in vain. */
const max_bytes_on_the_way = 256 * 1_024

export type SmallHasher = ReturnType<typeof createSmallHasher>

/**
 * Checks and hashes a file in one go: open, fstat, read, fstat, close. Separate steps would cost
 * one more lstat, and a message to another thread and back. Used while a scan finds no known file.
 */
export function createSmallHasher(root: string, rule: HashRule) {
  const directories = createDirectories(root)

  return {
    /** The md5, with the stat put at `index`; undefined: not hashed, and the stat is not valid. */
    hash(path: string, stats: BigInt64Array, index: number): string | undefined {
      const { directory, name } = directories.of(path)
      if (directory.kind !== 'open') return undefined
      let descriptor: number | undefined
      try {
        descriptor = openToRead(directory.prefix + name)
        const stat = statOpen(descriptor)
        if (!stat || !isForUs(path, stat, rule)) return undefined
        putStat(stats, index, stat)
        const md5 = hashSmall(descriptor, stat.size)
        if (!hasStat(descriptor, stat)) return undefined
        return isBlank(stat.size, md5) ? undefined : md5
      } catch (error) {
        // A later check reports the reason: the file is locked, a link, or gone.
        if (codeOf(error) === undefined) throw error
        return undefined
      } finally {
        if (descriptor !== undefined) closeSync(descriptor)
      }
    },
    /** Closes the directory that is kept open. Called between two batches. */
    rest: directories.close,
  }
}

function isForUs(path: string, stat: FileStat, { quiet_before_ns, folder }: HashRule): boolean {
  const is_quiet = stat.mtime_ns <= quiet_before_ns && stat.ctime_ns <= quiet_before_ns
  const is_small = stat.size <= max_bytes_on_the_way
  return (
    is_quiet && is_small && skipReason({ folder, path, stat, history: undefined }) === undefined
  )
}
