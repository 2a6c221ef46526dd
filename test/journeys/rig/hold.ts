import type { Place } from '../../../src/service/fault-injection.ts'
import type { RequestEntry, Stage } from '../../../src/service/observer.ts'
import type { Service } from '../../rig/local-service.ts'
import { until } from '../../rig/waiting.ts'

export interface Hold {
  /** Resolves with the held request. */
  reached(): Promise<RequestEntry>
  /** Resolves once the service sees that the client no longer waits. */
  deserted(): Promise<void>
  /** Releases the request; a second call does nothing. */
  release(): void
}

/** Holds the next request of this kind at this stage of its way through the service. */
export function holdNext(service: Service, stage: Stage, place: Place): Hold {
  let held: RequestEntry | undefined
  let is_deserted = false
  let let_go = () => {}
  const released = new Promise<void>((resolve) => {
    let_go = resolve
  })
  const takeOff = service.on(stage, async (entry) => {
    if (entry.place !== place || held) return
    held = entry
    await released
  })
  const takeEndOff = service.on('end', (entry) => {
    is_deserted ||= entry === held
  })
  return {
    async reached() {
      await until(`a request ${place} at ${stage}`, () => held !== undefined)
      return held!
    },
    deserted: () => until(`the end of the connection that asked ${place}`, () => is_deserted),
    release() {
      takeOff()
      takeEndOff()
      let_go()
    },
  }
}
