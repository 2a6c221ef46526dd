import { SluiceError } from '../base/errors.ts'
import { formatCount, formatDuration } from '../base/format.ts'
import type { Clock } from '../base/time.ts'

/** How long it has been so that nothing but the service's own reading went on: a large scan may take it hours. */
export class ReadingWait {
  readonly #clock: Clock
  readonly #most_ms: number
  #state: string | undefined
  #since_ms: number

  constructor(clock: Clock, most_ms: number) {
    this.#clock = clock
    this.#most_ms = most_ms
    this.#since_ms = clock.monotonic_ms()
  }

  /** `state` is another one when something moved; undefined while there is other work. Answers whether that is long enough. */
  isOver(state: string | undefined): boolean {
    const now_ms = this.#clock.monotonic_ms()
    if (state === undefined || state !== this.#state) this.#since_ms = now_ms
    this.#state = state
    return state !== undefined && now_ms - this.#since_ms >= this.#most_ms
  }

  /** What a pass then says: nothing is wrong, and nothing is lost. */
  verdict(files: number): SluiceError {
    const what = files === 1 ? '1 file' : `${formatCount(files)} files`
    return new SluiceError({
      code: 'answer.still_reading',
      message: `the service is still reading ${what}, and nothing else has gone on for ${formatDuration(this.#most_ms)}`,
      hint: 'they are sent; the next `sluice sync`, or a running daemon, goes on waiting for them',
    })
  }
}
