import type { Absence } from '../../domain/absence.ts'

/**
 * The time at which `span_ms` of time at work has passed since `from_ms`. Absences do not count, so
 * no work is late because of them. `absences`: sorted by start; they may overlap.
 */
export function afterAtWork(from_ms: number, span_ms: number, absences: readonly Absence[]): number {
  let at_ms = from_ms
  let left_ms = span_ms
  for (const absence of absences) {
    if (absence.to_ms <= at_ms) continue
    const worked_ms = Math.max(0, absence.from_ms - at_ms)
    if (left_ms < worked_ms) break
    left_ms -= worked_ms
    at_ms = absence.to_ms
  }
  return at_ms + left_ms
}
