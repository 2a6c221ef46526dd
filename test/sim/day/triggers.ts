import type { Play } from '../play/play.ts'
import { beginMount, endMount } from '../world/mounts.ts'
import { world } from '../world/world.ts'
import type { Fault, Happening } from './day.ts'

/** Time between an unplugged disk and the next one with its number. */
const swap_ms = 20_000

/** A waiting fault begins after this part of the day, even without its event. */
const latest_part = 0.9

/** A fault during the day. It begins with its event, or at its latest moment. */
interface Begun {
  fault: Fault
  earliest_ms: number
  lasts_ms: number
  is_begun: boolean
}

/** Begins and ends the faults of a day. */
export class Triggers {
  readonly #play: Play
  readonly #all: Begun[]

  constructor(play: Play) {
    this.#play = play
    const { faults, length_ms } = play.day
    this.#all = faults.map((given) => {
      const { from_ms, to_ms } = given
      const fault: Fault = { ...given }
      const lasts_ms = to_ms - from_ms
      if (given.begins_with !== undefined) {
        fault.from_ms = Math.max(from_ms, Math.floor(length_ms * latest_part))
        fault.to_ms = Math.min(length_ms, fault.from_ms + lasts_ms)
      }
      return { fault, earliest_ms: from_ms, lasts_ms, is_begun: false }
    })
    world.faults = this.#all.map(({ fault }) => fault)
  }

  /** Latest moments at which faults begin, unless they have begun. */
  moments(): { at_ms: number; do: () => void }[] {
    return this.#all.map((begun) => ({ at_ms: begun.fault.from_ms, do: () => this.#begin(begun) }))
  }

  happened(what: Happening): void {
    const now_ms = world.at_ms
    for (const begun of this.#all) {
      const { fault, is_begun, earliest_ms, lasts_ms } = begun
      if (is_begun || fault.begins_with !== what || now_ms < earliest_ms) continue
      fault.from_ms = now_ms
      fault.to_ms = Math.min(this.#play.day.length_ms, now_ms + lasts_ms)
      this.#begin(begun)
      this.#play.seen.note(this.#play, world.faultNames())
    }
  }

  #begin(begun: Begun): void {
    if (begun.is_begun) return
    begun.is_begun = true
    const { fault } = begun
    if (fault.kind !== 'mounts') return
    const sleep = (ms: number) => world.clockOf(undefined, 'service').sleep(ms)
    const lasts_ms = fault.to_ms - fault.from_ms
    if (fault.how === 'twin disk') {
      world.asSim(() => beginMount({ ...fault, how: 'gone' }))
      void sleep(Math.min(swap_ms, lasts_ms / 2)).then(() => world.asSim(() => beginMount(fault)))
    } else world.asSim(() => beginMount(fault))
    void sleep(lasts_ms).then(() => world.asSim(() => endMount(fault)))
  }
}
