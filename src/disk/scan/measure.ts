import { createHash } from 'node:crypto'
import { type BigIntStats, lstatSync } from 'node:fs'
import { entryKind, isGone } from './directory-names.ts'
import { type BatchRoom, fileStatOf, no_md5, putStat, type ScanBatch } from './scan-batch.ts'
import type { SmallHasher } from './small-hasher.ts'
import { createMeasuredTotal, type MeasuredTotal } from './walk-report.ts'

/** The contents of a buffer; `batchIn` makes a batch of them. */
export interface Measured extends Pick<ScanBatch, 'count' | 'digest' | 'md5s'> {
  names_bytes: number
  total: MeasuredTotal
}

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
 * Checks each listed file once, which is most of a scan's cost. Leaves out files that are gone or
 * replaced by now.
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

/** True for a file: its stat is then at `at`. */
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
    // A directory in its place was made after the walk passed.
    if (kind !== 'directory') total.special(kind)
    return false
  }
  putStat(stats, at, fileStatOf(stat))
  total.file(Number(stat.size))
  return true
}
