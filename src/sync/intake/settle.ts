import type { HashRule } from '../../disk/scan/scan.ts'
import { type FileStat, type KnownFile, sameStat } from '../../domain/file.ts'
import type { FolderSettings } from '../folder-settings.ts'

/**
 * A file is hashed once it is quiet. A writer may pause between two writes, so one check is not
 * enough: size, mtime, ctime and inode must be the same in another check, at least `settle_ms`
 * later.
 */
type SettleVerdict =
  | { kind: 'quiet' }
  | { kind: 'wait'; until_ms: number }
  /**
   * It kept changing for longer than the cap: this is reported, and the file is checked again
   * later.
   */
  | { kind: 'still_changing'; until_ms: number }

export interface SettleInput extends Pick<FolderSettings, 'settle_ms' | 'settle_cap_ms'> {
  stat: FileStat
  known: KnownFile | undefined
  now_ms: number
  /**
   * How far the filesystem's clock may be from ours: 0 on a local disk, generous on a network
   * share.
   */
  clock_doubt_ms: number
}

/**
 * File times have a granularity (up to 10 ms on ext4, 2 s on FAT and old SMB): a file is old only
 * when it is older than that.
 */
const time_granularity_ms = 2_000

export function settle(input: SettleInput): SettleVerdict {
  const { stat, known, now_ms, settle_ms, settle_cap_ms } = input
  const is_waiting = known?.state === 'seen' || (known?.state === 'blocked' && known.reason === 'changing')
  if (is_waiting && sameStat(known.stat, stat)) {
    // `not_before_ms` was set settle_ms after the check that saw this stat first.
    const due_ms = known.not_before_ms ?? now_ms
    return due_ms <= now_ms ? { kind: 'quiet' } : { kind: 'wait', until_ms: due_ms }
  }
  if (newest_ns(stat) <= quietBefore_ns(input)) return { kind: 'quiet' }
  if (is_waiting && now_ms - known.seen_ms >= settle_cap_ms) {
    return { kind: 'still_changing', until_ms: now_ms + settle_cap_ms }
  }
  return { kind: 'wait', until_ms: now_ms + settle_ms }
}

/**
 * A file of which both times lie before this is quiet at first sight, Unix ns; a time in the future
 * proves nothing.
 */
function quietBefore_ns(input: Pick<SettleInput, 'now_ms' | 'settle_ms' | 'clock_doubt_ms'>): bigint {
  const age_ms = input.settle_ms + time_granularity_ms + input.clock_doubt_ms
  return BigInt(Math.floor(input.now_ms - age_ms)) * 1_000_000n
}

function newest_ns({ mtime_ns, ctime_ns }: FileStat): bigint {
  return mtime_ns > ctime_ns ? mtime_ns : ctime_ns
}

/**
 * The walk hashes only small files. Where known files begin again, a dozen batches are on their way
 * whose files were read for nothing.
 */
const most_bytes_on_the_way = 256 * 1_024

/**
 * Agrees with `judgeFile` about unknown files; undefined where `start` judges each file by itself.
 */
export function hashRule(
  { settle_ms, max_file_bytes, start }: FolderSettings,
  now: { now_ms: number; clock_doubt_ms: number },
): HashRule | undefined {
  if (start.kind !== 'all') return undefined
  const quiet_before_ns = quietBefore_ns({ ...now, settle_ms })
  return { quiet_before_ns, most_bytes: Math.min(max_file_bytes, most_bytes_on_the_way) }
}
