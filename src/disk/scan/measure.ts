import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync } from 'node:fs'
import { entryKind, isGone } from './directory-names.ts'
import { type BatchRoom, fileStatOf, no_md5, putStat, type ScanBatch } from './scan-batch.ts'
import type { SmallHasher } from './small-hasher.ts'
import { createMeasuredTotal, type MeasuredTotal } from './walk-report.ts'

/** What now stands in the room: `batchIn` makes a batch of it. */
export interface Measured extends Pick<ScanBatch, 'count' | 'digest' | 'md5s'> {
  names_bytes: number
  total: MeasuredTotal
}

export interface MeasureOptions {
  root: string
  keeps_inodes: boolean
  /** Hashes files during the check; undefined: files are only checked. */
  hasher?: SmallHasher | undefined
  /** Called for every file: a share may take its time. */
  progressed: () => void
}

const options = { bigint: true, throwIfNoEntry: false } as const

/**
 * The one check of each file of a walk: most of what a scan costs. What is gone by now, or is no file
 * any more, is left out.
 * @param room its `names` and `ends` hold `listed` files
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
    if (md5 !== undefined || lookAt(base + path, path, stats, count, total)) {
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
  return { count, names_bytes: used, digest, md5s: md5s.join(''), total: total.told() }
}

export function batchIn({ names, ends, stats }: BatchRoom, measured: Omit<Measured, 'total'>): ScanBatch {
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

/** True: it is a file, and its stat was put at `at`. */
function lookAt(
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
    // A directory that took its place was not there when the walk went by.
    if (kind !== 'directory') total.special(kind)
    return false
  }
  putStat(stats, at, fileStatOf(stat))
  total.file(Number(stat.size))
  return true
}
