import { type FileStat, large_bytes } from '../domain/file.ts'
import { putStat } from './scan-batch.ts'

export interface FileToRead {
  path: string
  stat: FileStat
}

/** About a millisecond of small files: long enough to hide the message, short enough to spread over the threads. */
const most_paths = 64
const most_bytes = 8 * 1_048_576

/** Slices in order, small ones bounded by number and bytes, a large file alone. */
export function cut(
  count: number,
  sizeOf: (index: number) => number,
): { from: number; to: number; lane: 'small' | 'large' }[] {
  const slices: { from: number; to: number; lane: 'small' | 'large' }[] = []
  let bytes = 0
  for (let index = 0; index < count; index += 1) {
    const size = sizeOf(index)
    const last = slices.at(-1)
    const lane = size >= large_bytes ? 'large' : 'small'
    if (
      last &&
      lane === 'small' &&
      last.lane === 'small' &&
      last.to - last.from < most_paths &&
      bytes + size <= most_bytes
    ) {
      last.to = index + 1
      bytes += size
    } else {
      slices.push({ from: index, to: index + 1, lane })
      bytes = size
    }
  }
  return slices
}

export function packStats(entries: readonly FileToRead[]): BigInt64Array {
  const stats = new BigInt64Array(4 * entries.length)
  for (const [index, { stat }] of entries.entries()) {
    putStat(stats, index, { size: BigInt(stat.size), mtimeNs: stat.mtime_ns, ctimeNs: stat.ctime_ns, ino: stat.inode })
  }
  return stats
}
