import { type DeliveryKey, deliveryKey, deliveryName } from '../../domain/delivery.ts'
import { checkKey } from '../../domain/file.ts'
import type { CheckWork, Claimed, Release } from '../ledger.ts'

/**
 * Work of one kind that workers have claimed and not released. It is in memory beside the workers
 * and survives a reload. It takes part in no transaction: a database error blocks no work, and a
 * process that ends leaves nothing behind.
 */
class InFlight<Named, Item> {
  readonly #items = new Map<number | string, Item>()
  readonly #itemOf
  readonly #keyOf
  #last_query: Promise<unknown> = Promise.resolve()

  constructor(itemOf: (work: Named) => Item, keyOf: (item: Item) => number | string) {
    this.#itemOf = itemOf
    this.#keyOf = keyOf
  }

  /** Runs one query at a time: two at once would claim the same work. */
  take<Work extends Named>(
    query: (in_flight: Item[]) => Promise<Claimed<Work>>,
  ): Promise<Claimed<Work>> {
    const taken = this.#last_query.then(async () => {
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
    for (const item of items) this.#items.delete(this.#keyOf(item))
  }
}

export class AllInFlight {
  readonly check = new InFlight<CheckWork, CheckWork>(
    (check) => check,
    ({ folder, path }) => checkKey(folder, path),
  )
  readonly send = contentsInFlight()
  readonly follow = contentsInFlight()
  readonly label = contentsInFlight()
  readonly remove = contentsInFlight()
  readonly run = new InFlight<{ run: number }, number>(
    ({ run }) => run,
    (run) => run,
  )
  readonly delivery = new InFlight<DeliveryKey, DeliveryKey>(deliveryKey, deliveryName)

  release(...[work, items]: Release): void {
    if (work === 'check') this.check.release(items)
    else if (work === 'delivery') this.delivery.release(items)
    else this[work].release(items)
  }
}

function contentsInFlight(): InFlight<{ content: number }, number> {
  return new InFlight(
    ({ content }) => content,
    (content) => content,
  )
}
