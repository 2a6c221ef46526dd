import { day_ms, hour_ms } from '../base/time.ts'
import type { Usage } from './usage.ts'

/** What `uploads.max_bytes_per_day` leaves for one round of claims; bytes that are on their way count as sent. */
export class DailyBudget {
  #left: number
  #untouched: boolean
  /** Something had to wait for the budget. Nothing smaller passes it then: else a large file might wait for ever. */
  exhausted = false

  constructor(limit: number | undefined, usage: Usage, in_flight_bytes: number, now_ms: number) {
    const used = limit === undefined ? 0 : usage.over('sent', day_ms, now_ms).bytes + in_flight_bytes
    this.#left = (limit ?? Number.POSITIVE_INFINITY) - used
    this.#untouched = used === 0
  }

  /** A file larger than a whole day's limit goes when nothing else was sent that day: it would never go otherwise. */
  take(bytes: number): boolean {
    if (this.exhausted || (bytes > this.#left && !this.#untouched)) {
      this.exhausted = true
      return false
    }
    this.#left -= bytes
    if (bytes > 0) this.#untouched = false
    return true
  }
}

/** When the budget may have grown: sums are kept by the hour. */
export function nextHour(now_ms: number): number {
  return (Math.floor(now_ms / hour_ms) + 1) * hour_ms
}

/**
 * Whether everything that may be sent waits for the budget: then it is not about to go by itself, and nobody waits for it. Noted
 * at each claim; only one that found nothing to send and nothing in flight says so.
 */
export function createHeldForBudget() {
  let until_ms = 0

  function note(is_held: boolean, now_ms: number): void {
    until_ms = is_held ? nextHour(now_ms) : 0
  }

  /** The limit is another one. */
  function forget(): void {
    until_ms = 0
  }

  function holds(now_ms: number): boolean {
    return now_ms < until_ms
  }

  return { note, forget, holds }
}
