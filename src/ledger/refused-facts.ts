import { isSluiceError, messageOf, SluiceError } from '../base/run/errors.ts'
import { minute_ms } from '../base/time/time.ts'
import { deliveryName } from '../domain/delivery.ts'
import { type Fact, refused_fact } from '../domain/fact.ts'
import { faultOf } from './fact-fields.ts'

/** Rest of the work on a thing with a refused fact. It repeats calls of the service, so few. */
const rest_ms = 30 * minute_ms
/** Maximum number of things that are named. More would hide everything else in status. */
const max_named = 50

/** A fact is about one thing. Of one record, all facts about it are stored, or none. */
function thingOf(fact: Fact): string {
  if ('content' in fact) return contentThing(fact.content)
  if ('path' in fact) return fileThing(fact)
  if ('folder' in fact) return typeof fact.folder === 'string' ? fact.folder : fact.folder.name
  if ('target' in fact) return deliveryName(fact)
  if ('run' in fact) return runThing(fact.run)
  if ('prompt' in fact) return `prompt ${fact.prompt}`
  return 'project_id' in fact ? fact.project_id : fact.type
}

export const contentThing = (content: number) => `content ${content}`
export const fileThing = (file: { folder: string; path: string }) => `${file.folder}/${file.path}`
export const runThing = (run: number) => `run ${run}`

/**
 * The ledger's door: it refuses facts with values of a wrong type. The work on such a thing rests,
 * and a trouble names it, until a later fact of the thing is stored. Other things go on.
 */
export class RefusedFacts {
  /** Things with a refused fact, and until when (Unix ms) the work on them rests. */
  readonly #until_ms = new Map<string, number>()
  /** Things with a trouble, the oldest first. */
  readonly #named = new Set<string>()

  /**
   * Facts of one record to store, with the troubles that begin or end by them. `error`: for the
   * caller, whose work on a refused thing must not go on. Almost always all facts are sound.
   */
  sort(
    facts: readonly Fact[],
    now_ms: number,
    faults = faultsOf(facts),
  ): { facts: readonly Fact[]; error?: SluiceError } {
    if (faults.size === 0 && this.#until_ms.size === 0) return { facts }
    const sorted = facts.filter((fact) => !faults.has(thingOf(fact)))
    for (const thing of this.#resolvedBy(sorted))
      sorted.push({ type: 'trouble_ended', about: refused_fact + thing })
    for (const [thing, error] of faults) {
      this.#until_ms.set(thing, now_ms + rest_ms)
      if (this.#named.size >= max_named && !this.#named.has(thing)) {
        const ended = [...this.#named].find((named) => !this.rests(named, now_ms))
        if (ended === undefined) continue
        this.#named.delete(ended)
        sorted.push({ type: 'trouble_ended', about: refused_fact + ended })
      }
      this.#named.add(thing)
      const { code, message, hint } = error
      const about = refused_fact + thing
      sorted.push({ type: 'trouble_began', about, error: { code, message, hint } })
    }
    const [error] = faults.values()
    return error ? { facts: sorted, error } : { facts: sorted }
  }

  /** Call this once these facts are stored. */
  stored(facts: readonly Fact[]): void {
    if (this.#until_ms.size === 0) return
    for (const fact of facts) {
      if (fact.type !== 'trouble_ended') continue
      const thing = fact.about.slice(refused_fact.length)
      this.#until_ms.delete(thing)
      this.#named.delete(thing)
    }
  }

  /** True while no work on this thing may be claimed. */
  rests(thing: string, now_ms: number): boolean {
    return now_ms < (this.#until_ms.get(thing) ?? 0)
  }

  /** A deferral is no progress of its thing. */
  #resolvedBy(facts: readonly Fact[]): string[] {
    const things = facts.filter(({ type }) => !type.endsWith('deferred')).map(thingOf)
    return [...new Set(things)].filter((thing) => this.#until_ms.has(thing))
  }
}

/** The first fault of each thing. */
function faultsOf(facts: readonly Fact[]): Map<string, SluiceError> {
  const faults = new Map<string, SluiceError>()
  for (const fact of facts) {
    const fault = faultOf(fact)
    if (fault === undefined || faults.has(thingOf(fact))) continue
    faults.set(thingOf(fact), refusal(fact, fault))
  }
  return faults
}

function refusal(fact: Fact, fault: string): SluiceError {
  const message = `${thingOf(fact)}: cannot record ${fact.type}: ${fault}`
  return new SluiceError({ code: 'ledger.refused', message, hint })
}

/**
 * Records the facts thing by thing after all together failed: a value deeper in a fact may be of a
 * wrong type. Returns the faults by thing; other errors, such as a full disk, are thrown.
 */
export async function recordApart(
  facts: readonly Fact[],
  fault: unknown,
  record: (facts: readonly Fact[]) => Promise<void>,
): Promise<Map<string, SluiceError>> {
  if (!isOfFact(fault)) throw fault
  const by_thing = new Map<string, Fact[]>()
  for (const fact of facts) {
    const thing = thingOf(fact)
    by_thing.set(thing, [...(by_thing.get(thing) ?? []), fact])
  }
  const faults = new Map<string, SluiceError>()
  for (const [thing, own] of by_thing) {
    try {
      await record(own)
    } catch (error) {
      if (!isOfFact(error)) throw error
      faults.set(thing, refusal(own[0]!, messageOf(error)))
    }
  }
  return faults
}

/** True if the type of one value was refused; false for a full disk, a closed ledger and so on. */
function isOfFact(error: unknown): boolean {
  // A TypeError or RangeError of the ledger's thread has no code of its own.
  if (isSluiceError(error, 'internal.unexpected')) return true
  return isSluiceError(error, 'database.failed') && /DATATYPE|MISMATCH/.test(error.message)
}

const hint =
  'this is a fault of Sluice: report it with this line; all else goes on. Sluice tries it again later'
