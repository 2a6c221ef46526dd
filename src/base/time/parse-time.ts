/** A day, or a time of it, in ISO 8601; a blank may stand for the `T`. */
const form =
  /^(\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-](?:0\d|1[0-4]):?[0-5]\d)?)?$/

/**
 * Unix ms of a day or a time that a user or an agent writes; NaN for any other text, and for a day
 * that no calendar has. A day begins in UTC. A time without an offset is of this machine's zone.
 */
export function parseTime_ms(text: string): number {
  const day = form.exec(text)?.[1]
  if (day === undefined) return Number.NaN
  // Date.parse takes 31 February for a day in March, so the day must come back as it was written.
  const day_ms = Date.parse(day)
  if (Number.isNaN(day_ms) || new Date(day_ms).toISOString().slice(0, 10) !== day) return Number.NaN
  return Date.parse(text)
}
