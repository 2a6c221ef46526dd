import { type DeliveryKey, deliveryKey, deliveryName } from '../../domain/delivery.ts'
import { checkKey } from '../../domain/file.ts'
import type { CheckWork, Claimed, Release } from '../ledger.ts'
import { contentThing, fileThing, runThing } from '../refused-facts.ts'

/**
 * Work of one kind that workers have claimed and not released. It is in memory beside the workers
 * and survives a reload. It takes part in no transaction: a database error blocks no work, and a
 * process that ends leaves nothing behind.
 */
class InFlight<Named, Item> {
  readonly #items = new Map<number | string, Item>()
  /** Released items that stay claimed, because a fact of theirs was refused. */
  readonly #resting = new Map<number | string, Item>()
  readonly #itemOf
  readonly #keyOf
  readonly #rests
  #last_query: Promise<unknown> = Promise.resolve()

  /** `rests`: true while a fact of this item is refused. */
  constructor(
    itemOf: (work: Named) => Item,
    keyOf: (item: Item) => number | string,
    rests: (item: Item) => boolean,
  ) {
    this.#itemOf = itemOf
    this.#keyOf = keyOf
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
        this.#items.set(this.#keyOf(item), item)
      }
      return claimed
    })
    this.#last_query = taken.catch(() => {})
    return taken
  }

  release(items: readonly Item[]): void {
    for (const item of items) {
      const key = this.#keyOf(item)
      if (this.#rests(item)) this.#resting.set(key, item)
      else this.#items.delete(key)
    }
  }

  /** Number of items that still rest; the others are released now. */
  resting(): number {
    for (const [key, item] of this.#resting) {
      if (this.#rests(item)) continue
      this.#resting.delete(key)
      this.#items.delete(key)
    }
    return this.#resting.size
  }
}

export class AllInFlight {
  readonly check
  readonly send
  readonly follow
  readonly label
  readonly remove
  readonly run
  readonly delivery

  /** `rests`: true while the work on this thing (refused-facts.ts) must stop. */
  constructor(rests: (thing: string) => boolean) {
    const contents = () =>
      new InFlight<{ content: number }, number>(
        ({ content }) => content,
        (content) => content,
        (content) => rests(contentThing(content)),
      )
    this.check = new InFlight<CheckWork, CheckWork>(
      (check) => check,
      ({ folder, path }) => checkKey(folder, path),
      (check) => rests(fileThing(check)),
    )
    this.send = contents()
    this.follow = contents()
    this.label = contents()
    this.remove = contents()
    this.run = new InFlight<{ run: number }, number>(
      ({ run }) => run,
      (run) => run,
      (run) => rests(runThing(run)),
    )
    this.delivery = new InFlight<DeliveryKey, DeliveryKey>(deliveryKey, deliveryName, (key) =>
      rests(deliveryName(key)),
    )
  }

  release(...[work, items]: Release): void {
    if (work === 'check') this.check.release(items)
    else if (work === 'delivery') this.delivery.release(items)
    else this[work].release(items)
  }
}
