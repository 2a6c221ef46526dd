import { counted, formatAmount, formatBytes, formatDuration } from '../../base/text/format.ts'
import { second_ms } from '../../base/time/time.ts'
import type { Estimate } from '../../inspect/plan/plan.ts'
import type { UploadTime } from '../../inspect/plan/upload-time.ts'
import { type Line, LineWriter } from '../../status/text/lines.ts'

/** The estimate of `sluice init`. */
export function firstSyncLines(estimate: Estimate, is_minimum: boolean, width: number): Line[] {
  const writer = new LineWriter(width)
  const amount = `${is_minimum ? 'at least ' : ''}${formatAmount(estimate.would_upload)} to upload`
  const is_unknown = is_minimum && estimate.would_upload.files === 0
  writer.say(`first sync: ${is_unknown ? 'not known yet: no file was found' : amount}`, {
    tone: 'strong',
  })
  sayUploadTime(writer, estimate, is_minimum ? 'at least' : 'about')
  return writer.lines
}

/** Says how long the uploads take, on what basis, and which limit would stop them. */
export function sayUploadTime(
  writer: LineWriter,
  { would_upload, limits: { upload_limit, days }, upload_time }: Estimate,
  how_sure: 'about' | 'at least' = 'about',
): void {
  if (would_upload.files > 0) {
    writer.detail(`it takes ${how_sure} ${timeText(upload_time, days)}`)
  }
  if (upload_limit?.is_reached) {
    const limit = `${counted(upload_limit.files, 'file')} or ${formatBytes(upload_limit.bytes)} in ${upload_limit.per_hours} h`
    writer.say(
      `more than uploads.limit allows (${limit}): the rest waits for \`sluice accept PATH\``,
      {
        tone: 'warn',
      },
    )
  }
}

function timeText(time: UploadTime, days: number | null): string {
  const { decided_by, bytes_per_s, calls_at_once, assumed_call_ms } = time
  if (decided_by === 'max_bytes_per_day')
    return `${counted(days!, 'day')} at uploads.max_bytes_per_day`
  const duration = formatDuration(Math.max(second_ms, time.ms))
  if (decided_by === 'calls') {
    return `${duration} with ${counted(calls_at_once, 'call')} at once (uploads.concurrency), if each takes ${formatDuration(assumed_call_ms)}`
  }
  return time.bytes_per_s_from === 'assumed'
    ? `${duration} if the line carries ${(bytes_per_s * 8) / 1_000_000} Mbit/s (uploads.bandwidth sets no limit)`
    : `${duration} at ${formatBytes(bytes_per_s)}/s, the average of uploads.bandwidth over a day`
}
