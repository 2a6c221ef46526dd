import type { Place } from '../../src/service/bad-days.ts'
import type { RequestEntry, Stage } from '../../src/service/observer.ts'
import type { Service } from '../../src/service/service.ts'
import { until } from './waiting.ts'

export interface Hold {
  /** Resolves with the request that is being held. */
  reached(): Promise<RequestEntry>
  /** Lets it go on; twice is once. */
  release(): void
}

/** Holds the next request of this kind at this stage of its way through the service. */
export function holdNext(service: Service, stage: Stage, place: Place): Hold {
  let held: RequestEntry | undefined
  let let_go = () => {}
  const released = new Promise<void>((resolve) => {
    let_go = resolve
  })
  const takeOff = service.on(stage, async (entry) => {
    if (entry.place !== place || held) return
    held = entry
    await released
  })
  return {
    async reached() {
      await until(`a request ${place} at ${stage}`, () => held !== undefined)
      return held!
    },
    release() {
      takeOff()
      let_go()
    },
  }
}
