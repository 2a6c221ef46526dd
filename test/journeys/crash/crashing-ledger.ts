import { SluiceError } from '../../../src/base/run/errors.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { Ledger, SendWork } from '../../../src/ledger/ledger.ts'
import type { FactType } from './fact-types.ts'

/**
 * The place where a life ends. `at once`: with the commit of the fact, whose caller gets no answer.
 * `before the next`: when another fact is recorded, which is lost, although its effect (a slot,
 * bytes, a label) has happened.
 */
export interface Stop {
  type: FactType
  /** 1 is the first of its type in the whole run. */
  occurrence: number
  when: 'at once' | 'before the next'
}

/** Changes of the world at exact moments of the daemon's life. */
export interface Moments {
  claimedToSend?(work: readonly SendWork[]): void
  claimedToCheck?(paths: readonly string[]): void
}

/** The facts of a run, over all lives of the daemon, and the end of one life. */
export class Fate {
  readonly facts: FactType[] = []
  readonly died: Promise<void>
  readonly #stop: Stop | undefined
  #condemned = false
  #is_dead = false
  #reportDeath = () => {}

  constructor(stop?: Stop) {
    this.#stop = stop
    this.died = new Promise((resolve) => {
      this.#reportDeath = resolve
    })
  }

  get isDead(): boolean {
    return this.#is_dead
  }

  /** Every call passes here, on its way in and on its way back. */
  check(): void {
    if (this.#is_dead) throw new SluiceError({ code: 'test.dead', message: 'the process is dead' })
  }

  beforeFact(): void {
    if (this.#condemned) this.#die()
    this.check()
  }

  afterFact({ type }: Fact): void {
    this.facts.push(type)
    const stop = this.#stop
    if (
      stop?.type !== type ||
      this.facts.filter((other) => other === type).length !== stop.occurrence
    )
      return
    if (stop.when === 'at once') this.#die()
    else this.#condemned = true
    this.check()
  }

  #die(): void {
    this.#is_dead = true
    this.#reportDeath()
  }
}

/**
 * A ledger that commits each fact separately, and does not answer any more once its process is
 * dead.
 */
export function crashingLedger(inner: Ledger, fate: Fate, moments: Moments): Ledger {
  const alive = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    fate.check()
    const answer = await call()
    fate.check()
    return answer
  }
  return {
    async record(facts) {
      for (const fact of facts) {
        fate.beforeFact()
        await inner.record([fact])
        fate.check()
        fate.afterFact(fact)
      }
    },
    rests: (thing) => inner.rests(thing),
    folders: () => alive(() => inner.folders()),
    folder: (name) => alive(() => inner.folder(name)),
    filesAt: (folder, paths) => alive(() => inner.filesAt(folder, paths)),
    differences: (range) => alive(() => inner.differences(range)),
    wasBeforeStart: (folder, stat) => alive(() => inner.wasBeforeStart(folder, stat)),
    async claimToCheck(limit, choice) {
      const claimed = await alive(() => inner.claimToCheck(limit, choice))
      moments.claimedToCheck?.(claimed.work.map(({ path }) => path))
      return claimed
    },
    async claimToSend(limit, options) {
      const claimed = await alive(() => inner.claimToSend(limit, options))
      moments.claimedToSend?.(claimed.work)
      return claimed
    },
    claimToFollow: (limit, options) => alive(() => inner.claimToFollow(limit, options)),
    claimToLabel: (limit, options) => alive(() => inner.claimToLabel(limit, options)),
    claimToName: (limit, options) => alive(() => inner.claimToName(limit, options)),
    claimToRemove: (limit, options) => alive(() => inner.claimToRemove(limit, options)),
    prompts: () => alive(() => inner.prompts()),
    claimRuns: (limit, options) => alive(() => inner.claimRuns(limit, options)),
    claimDeliveries: (...of) => alive(() => inner.claimDeliveries(...of)),
    audits: () => alive(() => inner.audits()),
    unaudited: (query) => alive(() => inner.unaudited(query)),
    arrivals: (query) => alive(() => inner.arrivals(query)),
    unready: (query) => alive(() => inner.unready(query)),
    changes: (query) => alive(() => inner.changes(query)),
    release: (...claims) => inner.release(...claims),
    pending: (horizon_ms) => alive(() => inner.pending(horizon_ms)),
    dueElsewhere: (except, horizon_ms) => alive(() => inner.dueElsewhere(except, horizon_ms)),
    alikeRefusals: (content, refusal) => alive(() => inner.alikeRefusals(content, refusal)),
    setLimits: (limits) => alive(() => inner.setLimits(limits)),
    tidy: () => alive(() => inner.tidy()),
    onWork: (listener) => inner.onWork(listener),
    // The kernel closes the files of a dead process.
    close: () => inner.close(),
  }
}
