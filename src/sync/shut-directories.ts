import { type Clock, second_ms } from '../base/time.ts'
import type { Examiner } from '../disk/examiner.ts'
import type { ScanSummary } from '../domain/fact.ts'

const look_ms = 30 * second_ms

/**
 * What the last scan could not read. No event says reliably that somebody was given the right to it, and a watcher that met it shut
 * stays deaf for it: so it is tried.
 */
export class ShutDirectories {
  readonly #root: string
  readonly #tools: { clock: Clock; examiner: Pick<Examiner, 'lstat'> }
  #paths: readonly string[] = []
  /** The scan came in before anybody asked. */
  #one_was_open = false
  #due_ms = Number.NEGATIVE_INFINITY

  constructor(root: string, tools: { clock: Clock; examiner: Pick<Examiner, 'lstat'> }) {
    this.#root = root
    this.#tools = tools
  }

  scanEnded({ unreadable }: Pick<ScanSummary, 'unreadable'>): void {
    const still = new Set(unreadable.map(({ path }) => path))
    this.#one_was_open ||= this.#paths.some((path) => !still.has(path))
    this.#paths = [...still]
    this.#due_ms = this.#tools.clock.monotonic_ms() + look_ms
  }

  /** Whether one of them is readable by now, or is none any more; told once, and asked as often as one likes. */
  async isOneOpen(): Promise<boolean> {
    if (this.#one_was_open || (await this.#tryAll())) {
      this.#one_was_open = false
      this.#paths = []
      return true
    }
    return false
  }

  async #tryAll(): Promise<boolean> {
    const now_ms = this.#tools.clock.monotonic_ms()
    if (this.#paths.length === 0 || now_ms < this.#due_ms) return false
    this.#due_ms = now_ms + look_ms
    // What is inside says whether it can be opened and entered.
    const insides = this.#paths.map((path) => `${path}/.`)
    const looks = await this.#tools.examiner.lstat(this.#root, insides)
    return looks.some(({ kind }) => kind !== 'unreadable')
  }
}
