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
  /** It changed for longer than the cap: this is reported, and it is checked again later. */
  | { kind: 'still_changing'; until_ms: number }

export interface SettleInput extends Pick<FolderSettings, 'settle_ms' | 'settle_cap_ms'> {
  stat: FileStat
  known: KnownFile | undefined
  now_ms: number
  /** Possible offset of the filesystem's clock: 0 on a local disk, generous on a share. */
  clock_doubt_ms: number
}

/** Granularity of file times: up to 10 ms on ext4, 2 s on FAT and old SMB. */
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

/** Unix ns. A file with both times before this is quiet; a future time proves nothing. */
function quietBefore_ns(input: Pick<SettleInput, 'now_ms' | 'settle_ms' | 'clock_doubt_ms'>): bigint {
  const age_ms = input.settle_ms + time_granularity_ms + input.clock_doubt_ms
  return BigInt(Math.floor(input.now_ms - age_ms)) * 1_000_000n
}

function newest_ns({ mtime_ns, ctime_ns }: FileStat): bigint {
  return mtime_ns > ctime_ns ? mtime_ns : ctime_ns
}

/** The walk hashes only small files: some batches are read in vain where known files begin. */
const max_bytes_on_the_way = 256 * 1_024

/** Agrees with `judgeFile` about unknown files; undefined if `start` needs each file. */
export function hashRule(
  { settle_ms, max_file_bytes, start }: FolderSettings,
  now: { now_ms: number; clock_doubt_ms: number },
): HashRule | undefined {
  if (start.kind !== 'all') return undefined
  const quiet_before_ns = quietBefore_ns({ ...now, settle_ms })
  return { quiet_before_ns, most_bytes: Math.min(max_file_bytes, max_bytes_on_the_way) }
}
