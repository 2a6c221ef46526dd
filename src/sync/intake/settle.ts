import {
  changingSince,
  type FileStat,
  type KnownFile,
  mayChange,
  sameStat,
} from '../../domain/file.ts'
import type { FolderSettings } from '../folder-settings.ts'

/**
 * A file is hashed once it is quiet. Its times are old enough, or a second check at least
 * `settle_ms` later finds size, mtime, ctime and inode unchanged. For a new file one check is not
 * enough: a writer may pause between two writes.
 */
type SettleVerdict =
  | { kind: 'quiet' }
  | { kind: 'wait'; until_ms: number }
  /** It changed for longer than the cap: this is reported, and it is checked again later. */
  | { kind: 'still_changing'; until_ms: number }

export interface SettleInput {
  folder: Pick<FolderSettings, 'settle_ms' | 'settle_cap_ms'>
  stat: FileStat
  known: KnownFile | undefined
  now_ms: number
  /** Possible offset of the filesystem's clock: 0 on a local disk, generous on a share. */
  clock_doubt_ms: number
}

/** Granularity of file times: up to 10 ms on ext4, 2 s on FAT and old SMB. */
const time_granularity_ms = 2_000

/** Decides whether a file has been quiet for long enough. */
export function settle(input: SettleInput): SettleVerdict {
  const { stat, known, now_ms, clock_doubt_ms } = input
  const { settle_ms, settle_cap_ms } = input.folder
  if (known && mayChange(known) && sameStat(known.stat, stat)) {
    // `not_before_ms` was set settle_ms after the check that saw this stat first.
    const due_ms = known.not_before_ms ?? now_ms
    return due_ms <= now_ms ? { kind: 'quiet' } : { kind: 'wait', until_ms: due_ms }
  }
  if (newest_ns(stat) <= quietBefore_ns(settle_ms, { now_ms, clock_doubt_ms }))
    return { kind: 'quiet' }
  if (known && now_ms - changingSince(known, now_ms) >= settle_cap_ms)
    return { kind: 'still_changing', until_ms: now_ms + settle_cap_ms }
  return { kind: 'wait', until_ms: now_ms + settle_ms }
}

/** Unix ns. A file with both times before this is quiet; a future time proves nothing. */
export function quietBefore_ns(
  settle_ms: number,
  now: Pick<SettleInput, 'now_ms' | 'clock_doubt_ms'>,
): bigint {
  const age_ms = settle_ms + time_granularity_ms + now.clock_doubt_ms
  return BigInt(Math.floor(now.now_ms - age_ms)) * 1_000_000n
}

function newest_ns({ mtime_ns, ctime_ns }: FileStat): bigint {
  return mtime_ns > ctime_ns ? mtime_ns : ctime_ns
}
