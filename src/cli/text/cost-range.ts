import type { Amount } from '../../ledger/views/view-folders.ts'

/** A part of a pass. Files and bytes may be fractions: a large file is half sent. */
export interface MeasuredPart extends Amount {
  ms: number
  /** Bytes that may have moved besides, unseen: of files that were under way. */
  unseen_bytes: number
}

/** Milliseconds. */
export interface Range {
  low: number
  likely: number
  high: number
}

/** Factors by which a part may be off its costs; the smallest that fits counts. */
const tolerances = [1.1, 1.25, 1.5]
/** Costs of a byte that are tried, from nothing to the highest: closer than the tolerance. */
const tries = Array.from({ length: 101 }, (_, at) => at / 100)

/**
 * The time that the rest takes: `most`, or less by the `unseen_bytes`. A file costs its calls, a
 * byte its transfer. All costs that explain the measured parts count. For `low` and `likely`, files
 * and bytes take turns. For `high`, they went beside each other until now, so that each kind alone
 * may have filled the time. Undefined if no costs explain the parts: the pace has changed.
 */
export function costRange(
  parts: readonly MeasuredPart[],
  rest: Amount,
  unseen_bytes: number,
): Range | undefined {
  const least = { ...rest, bytes: rest.bytes - unseen_bytes }
  const max_byte_ms = lowest(parts, 'bytes')
  for (const tolerance of tolerances) {
    const costs = tries.flatMap((part) =>
      costsWith(part * max_byte_ms * tolerance, parts, tolerance),
    )
    if (costs.length === 0) continue
    const low = Math.min(...costs.map((cost) => timeOf(least, cost)))
    const high = longest(parts, rest) * tolerance
    const most = Math.max(...costs.map((cost) => timeOf(rest, cost)))
    return { low, likely: Math.sqrt(low * Math.min(high, most)), high }
  }
  return undefined
}

interface Costs {
  file_ms: number
  byte_ms: number
}

/** The least and the most that a file costs if a byte costs this; none if the parts exclude it. */
function costsWith(byte_ms: number, parts: readonly MeasuredPart[], tolerance: number): Costs[] {
  const least = parts.map(
    ({ ms, files, bytes, unseen_bytes }) =>
      (ms / tolerance - byte_ms * (bytes + unseen_bytes)) / files,
  )
  const most = parts.map(({ ms, files, bytes }) => (ms * tolerance - byte_ms * bytes) / files)
  const from_ms = Math.max(0, ...least)
  const to_ms = Math.min(...most)
  return from_ms <= to_ms ? [from_ms, to_ms].map((file_ms) => ({ file_ms, byte_ms })) : []
}

/** Infinite for a kind that was never measured. */
function longest(parts: readonly MeasuredPart[], rest: Amount): number {
  const alone = { file_ms: lowest(parts, 'files'), byte_ms: lowest(parts, 'bytes') }
  // As much of the same mix takes the same time again, whatever went beside what.
  const again = parts.map((part) => {
    const times = Math.min(rest.files / part.files, rest.bytes / part.bytes)
    const files = rest.files - times * part.files
    const bytes = rest.bytes - times * part.bytes
    return times * part.ms + timeOf({ files, bytes }, alone)
  })
  return Math.min(timeOf(rest, alone), ...again.filter(Number.isFinite))
}

/** The time of one if all the time was for these. */
function lowest(parts: readonly MeasuredPart[], what: keyof Amount): number {
  return Math.min(...parts.map((part) => part.ms / part[what]))
}

/** A cost may be infinite, and nothing of it takes no time. */
function timeOf({ files, bytes }: Amount, { file_ms, byte_ms }: Costs): number {
  return (files > 0 ? files * file_ms : 0) + (bytes > 0 ? bytes * byte_ms : 0)
}
