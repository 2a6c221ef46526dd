import { AllInFlight as RealInFlight } from '../../../src/ledger/claims/in-flight.ts'
import type { Release } from '../../../src/ledger/ledger.ts'
import { claimed, released, type WorkKind } from '../world/claims.ts'
import { world } from '../world/world.ts'

/*
 * Replaces ledger/claims/in-flight by the real one, and reports to the sim each claim and each
 * release.
 */

const kinds: readonly WorkKind[] = [
  'check',
  'send',
  'follow',
  'label',
  'name',
  'remove',
  'run',
  'delivery',
]

type Query = (in_flight: unknown[]) => Promise<{ work: object[] }>

export class AllInFlight extends RealInFlight {
  readonly #life = world.life!

  constructor(rests: (thing: string) => boolean) {
    super(rests)
    for (const kind of kinds) {
      const queue = this[kind] as unknown as { take(query: Query): Promise<unknown> }
      const take = queue.take.bind(queue)
      queue.take = (query) =>
        take(async (in_flight) => {
          const answer = await query(in_flight)
          for (const work of answer.work) claimed(this.#life, kind, work)
          if (kind === 'remove' && answer.work.length > 0) world.happened('removal_claimed')
          return answer
        })
    }
  }

  override release(...release: Release): void {
    super.release(...release)
    const [kind, items] = release
    for (const item of items) released(this.#life, kind, named(kind, item))
  }
}

/** Contents and runs are released by their number. */
function named(kind: WorkKind, item: number | object): object {
  if (typeof item !== 'number') return item
  return kind === 'run' ? { run: item } : { content: item }
}
