import { day_ms, second_ms } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import type { Amount } from '../../ledger/views/view-folders.ts'

/**
 * 10 Mbit/s, the line that the text of `uploads.limit` names, too. The sums that the ledger has of
 * earlier uploads do not show whether the line was busy, so they are no measurement of it.
 */
const assumed_bytes_per_s = 1_250_000
/** Answers of the local service come sooner, those over a long distance later. */
const assumed_call_ms = 100
/** One call each to create the slot, to send the bytes and to complete. */
const calls_per_file = 3
const day_minutes = 24 * 60

/** Estimate of the time until the last byte is sent. It leaves out what the service does then. */
export type UploadTime = ReturnType<typeof uploadTime>

/**
 * Estimates from bytes, from calls, and from the days under `max_bytes_per_day` (null without that
 * limit). The longest is nearest to the truth, and `decided_by` names it.
 */
export function uploadTime(
  { files, bytes }: Amount,
  { bandwidth, concurrency }: Config['uploads'],
  days: number | null,
) {
  const bytes_per_s = averageRate(bandwidth)
  const times = {
    bytes: Math.ceil((bytes / bytes_per_s) * second_ms),
    calls: Math.ceil((files * calls_per_file * assumed_call_ms) / concurrency),
    max_bytes_per_day: days !== null && days > 1 ? days * day_ms : 0,
  }
  const kinds = ['max_bytes_per_day', 'bytes', 'calls'] as const
  const decided_by = kinds.reduce((longest, kind) =>
    times[kind] > times[longest] ? kind : longest,
  )
  return {
    ms: times[decided_by],
    decided_by,
    /** The average of `uploads.bandwidth` over a day; an assumed rate for hours without a limit. */
    bytes_per_s,
    bytes_per_s_from:
      bandwidth.length === 0 ? ('assumed' as const) : ('uploads.bandwidth' as const),
    /** `uploads.concurrency`. */
    calls_at_once: concurrency,
    assumed_call_ms,
  }
}

function averageRate(spans: Config['uploads']['bandwidth']): number {
  let free_minutes = day_minutes
  let bytes = 0
  for (const { from_minute, to_minute, bytes_per_s } of spans) {
    free_minutes -= to_minute - from_minute
    bytes += (to_minute - from_minute) * bytes_per_s
  }
  return Math.round((bytes + free_minutes * assumed_bytes_per_s) / day_minutes)
}
