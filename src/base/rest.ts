import { type Clock, minute_ms } from './time.ts'

/** A wake comes with every fact that makes work; this is for a wake that was lost. */
export const longest_rest_ms = minute_ms

/** How long a worker with nothing to do rests: until the next item is due, at least a moment, at most a minute. */
export function restUntilDue(next_due_ms: number | undefined, clock: Clock): { wait_ms: number } {
  const due_ms = next_due_ms === undefined ? longest_rest_ms : next_due_ms - clock.now_ms()
  return { wait_ms: Math.min(Math.max(due_ms, 1), longest_rest_ms) }
}
