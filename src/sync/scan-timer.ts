import { type Clock, second_ms } from '../base/time.ts'
import { nextScan_ms, type PaceLimits, type ScanFindings } from './scan-pace.ts'

/** Scans that are asked for rest at least this long after the last one: a storm of events is one scan. */
const least_rest_ms = 2 * second_ms

/** When a folder's next scan may and must begin. By the monotonic clock: a wall clock set back must not put a scan off. */
export class ScanTimer {
  readonly #clock: Clock
  readonly #limits: PaceLimits
  #interval_ms: number | undefined
  #due_ms = Number.NEGATIVE_INFINITY
  #ended_ms = Number.NEGATIVE_INFINITY
  #took_ms = 0

  constructor(clock: Clock, limits: PaceLimits) {
    this.#clock = clock
    this.#limits = limits
  }

  /** Until it is due by the interval; 0 or less: it is. */
  dueIn_ms(): number {
    return this.#due_ms - this.#clock.monotonic_ms()
  }

  /** How long one that was asked for has to rest. By doubt as long as the last one took: half of the time is enough for scans. */
  restsFor_ms(why: 'wanted' | 'doubt'): number {
    const rest_ms = why === 'wanted' ? least_rest_ms : Math.max(least_rest_ms, this.#took_ms)
    return this.#ended_ms + rest_ms - this.#clock.monotonic_ms()
  }

  /** Whoever it was that asked, now is the time. */
  noRest(): void {
    this.#ended_ms = Number.NEGATIVE_INFINITY
  }

  ended(took_ms: number): void {
    this.#ended_ms = this.#clock.monotonic_ms()
    this.#took_ms = took_ms
  }

  /** Jittered, so that many folders and many machines do not scan in step. */
  finished(found: ScanFindings): void {
    const interval_ms = nextScan_ms({ ...found, took_ms: this.#took_ms, last_ms: this.#interval_ms }, this.#limits)
    this.#interval_ms = interval_ms
    this.#due_ms = this.#clock.monotonic_ms() + interval_ms * (0.9 + 0.2 * Math.random())
  }
}
