import { deliveryKey, deliveryName } from '../../domain/delivery.ts'
import type { CheckWork, Claimed, Release } from '../ledger.ts'
import { contentThing, fileThing, runThing } from '../refused-facts.ts'

/**
 * Work of one kind that workers have claimed and not released. It is in memory beside the workers
 * and survives a reload. It takes part in no transaction: a database error blocks no work, and a
 * process that ends leaves nothing behind.
 */
class InFlight<Named, Item> {
  readonly #items = new Map<string, Item>()
  /** Released items that stay claimed, because a fact of theirs was refused. */
  readonly #resting = new Set<string>()
  readonly #itemOf
  readonly #thingOf
  readonly #rests
  #last_query: Promise<unknown> = Promise.resolve()

  constructor(
    rests: (thing: string) => boolean,
    itemOf: (work: Named) => Item,
    thingOf: (item: Item) => string,
  ) {
    this.#itemOf = itemOf
    this.#thingOf = thingOf
    this.#rests = rests
  }

  /** Runs one query at a time: two at once would claim the same work. */
  take<Work extends Named>(
    query: (in_flight: Item[]) => Promise<Claimed<Work>>,
  ): Promise<Claimed<Work>> {
    const taken = this.#last_query.then(async () => {
      this.resting()
      const claimed = await query([...this.#items.values()])
      for (const work of claimed.work) {
        const item = this.#itemOf(work)
        this.#items.set(this.#thingOf(item), item)
      }
      return claimed
    })
    this.#last_query = taken.catch(() => {})
    return taken
  }

  release(items: readonly Item[]): void {
    for (const item of items) this.#release(this.#thingOf(item))
  }

  /** Number of items that still rest; the others are released now. */
  resting(): number {
    for (const thing of this.#resting) this.#release(thing)
    return this.#resting.size
  }

  #release(thing: string): void {
    if (this.#rests(thing)) this.#resting.add(thing)
    else {
      this.#resting.delete(thing)
      this.#items.delete(thing)
    }
  }
}

export class AllInFlight {
  readonly check
  readonly send
  readonly follow
  readonly label
  readonly name
  readonly remove
  readonly run
  readonly delivery

  /** `rests`: true while the work on this thing must stop (refused-facts.ts). */
  constructor(rests: (thing: string) => boolean) {
    const contents = () => {
      return new InFlight(rests, (work: { content: number }) => work.content, contentThing)
    }
    this.check = new InFlight(rests, (check: CheckWork) => check, fileThing)
    this.send = contents()
    this.follow = contents()
    this.label = contents()
    this.name = contents()
    this.remove = contents()
    this.run = new InFlight(rests, (work: { run: number }) => work.run, runThing)
    this.delivery = new InFlight(rests, deliveryKey, deliveryName)
  }

  release(...[work, items]: Release): void {
    if (work === 'check') this.check.release(items)
    else if (work === 'delivery') this.delivery.release(items)
    else this[work].release(items)
  }
}
