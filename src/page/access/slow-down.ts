import { SluiceError } from '../../base/run/errors.ts'
import { formatDuration } from '../../base/text/format.ts'
import { backoff_ms, type Clock, hour_ms, minute_ms, second_ms } from '../../base/time/time.ts'

/** The first wrong passwords may be typing errors. */
const free_tries = 3
/** A client that guesses is refused for so long after a wrong try. */
const refusal = { first_ms: second_ms, max_ms: 5 * minute_ms }
/** A browser, and its user, wait so long. */
const delay = { first_ms: second_ms, max_ms: 10 * second_ms }
/** After so long without a wrong try, all earlier ones are forgotten. */
const forget_ms = hour_ms
const max_names = 10_000
/** Each check takes 64 MB and a core for a moment. */
const max_checks = 2
/** More sign-ins than this do not wait in line, which would take many seconds. */
const max_waiting = 20
/** A delayed try holds a connection of the page (`max_connections`), and these leave most free. */
const max_delayed = 20
/** Limit of one client or shared address: it must not take all of `max_delayed`. */
const max_delayed_a_source = 3

/** The caller that tries. */
export interface Trier {
  /** The address of one client, which alone suffers; undefined if many may share it. */
  client: string | undefined
  /** A key that others share, such as the name of a user: an attacker must not lock them out. */
  shared: readonly string[]
}

/** `left` aborts when the client leaves, which ends its wait. */
export interface Try extends Trier {
  left: AbortSignal
}

/** Wrong tries of one name or address. */
interface Wrong {
  count: number
  last_ms: number
}

/**
 * Lets passwords be tried ever more slowly. A client is refused for a growing time. Where others
 * share the name or address, each try only waits longer before it is checked. Few tries wait at a
 * time. Error `page.slow_down`, also for a client that left: no check is made for it.
 */
export class SlowDown {
  readonly #clock: Pick<Clock, 'monotonic_ms' | 'sleep'>
  readonly #wrong = new Map<string, Wrong>()
  readonly #line: (() => void)[] = []
  /** The source of each delayed try. */
  readonly #delayed: string[] = []
  #checking = 0

  constructor(clock: Pick<Clock, 'monotonic_ms' | 'sleep'>) {
    this.#clock = clock
  }

  async attempt(attempted: Try, check: () => Promise<boolean>): Promise<boolean> {
    const { client, shared, left } = attempted
    this.#refuseEarly(client)
    await this.#delay(attempted)
    this.#refuseEarly(client, this.#line.length >= max_waiting)
    if (this.#checking < max_checks) this.#checking++
    else await new Promise<void>((resolve) => this.#line.push(resolve))
    try {
      // A sign-in before this one in the line may have been wrong.
      this.#refuseEarly(client, left.aborted)
      const is_right = await check()
      const keys = client === undefined ? shared : [client, ...shared]
      for (const key of keys) this.#note(key, is_right)
      return is_right
    } finally {
      const next = this.#line.shift() ?? (() => void this.#checking--)
      next()
    }
  }

  async #delay({ client, shared, left }: Try): Promise<void> {
    const delay_ms = Math.max(0, ...shared.map((key) => this.#wait_ms(key, delay)))
    if (delay_ms === 0) return
    const source = client ?? shared[0]!
    const of_source = this.#delayed.filter((other) => other === source).length
    const is_full = this.#delayed.length >= max_delayed || of_source >= max_delayed_a_source
    this.#refuseEarly(client, is_full)
    this.#delayed.push(source)
    await this.#clock.sleep(delay_ms, left)
    this.#delayed.splice(this.#delayed.indexOf(source), 1)
    this.#refuseEarly(client, left.aborted)
  }

  #note(key: string, is_right: boolean): void {
    const count = this.#wrongOf(key)?.count ?? 0
    this.#wrong.delete(key)
    if (is_right) return
    this.#wrong.set(key, { count: count + 1, last_ms: this.#clock.monotonic_ms() })
    // The oldest goes: a flood of invented names must not fill the memory.
    if (this.#wrong.size > max_names) this.#wrong.delete(this.#wrong.keys().next().value!)
  }

  #wrongOf(key: string): Wrong | undefined {
    const wrong = this.#wrong.get(key)
    return wrong && this.#clock.monotonic_ms() - wrong.last_ms < forget_ms ? wrong : undefined
  }

  #wait_ms(key: string, limits: typeof delay): number {
    const beyond = (this.#wrongOf(key)?.count ?? 0) - free_tries
    // The same for each try: else another one at once might be lucky.
    return beyond < 0 ? 0 : backoff_ms(beyond, limits, () => 1)
  }

  #refuseEarly(client: string | undefined, is_refused = false): void {
    const wrong = client === undefined ? undefined : this.#wrongOf(client)
    const until_ms = wrong ? wrong.last_ms + this.#wait_ms(client!, refusal) : 0
    const left_ms = until_ms - this.#clock.monotonic_ms()
    if (left_ms <= 0 && !is_refused) return
    const wait = formatDuration(Math.max(left_ms, second_ms))
    throw new SluiceError({
      code: 'page.slow_down',
      message: `too many tries: wait ${wait}, then try again`,
    })
  }
}
