import type { FolderConfig } from '../config/config.ts'
import { type FileStat, sameStat } from '../domain/file.ts'
import type { ComparedFile } from '../ledger/view-comparison.ts'
import { judge } from './plan-judge.ts'

export type DiskVerdict = 'same' | 'left_out' | 'on_the_way' | 'unknown_on_disk' | 'changed_on_disk'

/**
 * What a file that the walker met is to the ledger, by its stat alone. Pure. What moved in the folder's settle time, or waits in
 * the ledger for its next look, is on its way and no difference; nor is what will not go up.
 */
export function judgeOnDisk(of: {
  folder: Pick<FolderConfig, 'max_file_bytes' | 'start' | 'settle_ms'>
  stat: FileStat
  known: ComparedFile | undefined
  now_ms: number
  first_scan_done: boolean
  /** A file left out by `start` was moved here. */
  wasBeforeStart: () => boolean
}): DiskVerdict {
  const { folder, stat, known, now_ms, first_scan_done } = of
  if (known === undefined) {
    if (judge({ folder, stat, known: undefined, now_ms, first_scan_done }) !== undefined) return 'left_out'
    if (folder.start.kind !== 'all' && of.wasBeforeStart()) return 'left_out'
    return isSettling(folder, stat, now_ms) ? 'on_the_way' : 'unknown_on_disk'
  }
  const is_same = sameStat(known.stat, stat)
  if (known.state === 'seen' || (known.state === 'blocked' && known.reason === 'changing')) return 'on_the_way'
  if (is_same) return known.state === 'skipped' ? 'left_out' : 'same'
  if (known.state === 'skipped' && staysSkipped(folder, known, stat)) return 'left_out'
  return isSettling(folder, stat, now_ms) ? 'on_the_way' : 'changed_on_disk'
}

/** By ctime, which is the kernel's: an mtime may say anything. */
function isSettling({ settle_ms }: Pick<FolderConfig, 'settle_ms'>, stat: FileStat, now_ms: number): boolean {
  return Math.abs(now_ms - Number(stat.ctime_ns / 1_000_000n)) < settle_ms
}

/** A file without bytes, or one that is too large, is that with other times, too; of an old one only other bytes count. */
function staysSkipped({ max_file_bytes }: { max_file_bytes: number }, known: ComparedFile, stat: FileStat): boolean {
  if (known.reason === 'before_start') return known.stat.size === stat.size && known.stat.mtime_ns === stat.mtime_ns
  return stat.size === 0 || stat.size > max_file_bytes
}
