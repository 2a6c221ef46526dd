import { type FaultNote, isSluiceError, messageOf, SluiceError } from '../base/run/errors.ts'
import { listOf } from '../base/run/group.ts'
import { formatCount } from '../base/text/format.ts'
import { day_ms, minute_ms } from '../base/time/time.ts'
import { deliveryName } from '../domain/delivery.ts'
import { type Fact, refused_fact } from '../domain/fact.ts'
import { faultOf } from './fact-fields.ts'

/** Rest of the work on a thing with a refused fact. It repeats calls of the service, so few. */
const rest_ms = 30 * minute_ms
/** A thing that is not tried for so long has no work any more: nothing is wrong with it now. */
const forget_ms = day_ms
/** Maximum number of things that are named. More would hide everything else in status. */
const max_named = 50
/** Subject of the trouble that counts the things that are not named. */
const others = 'others'

/** A fact is about one thing. Of one record, all facts about it are stored, or none. */
function thingOf(fact: Fact): string {
  if ('content' in fact) return contentThing(fact.content)
  if ('path' in fact) return fileThing(fact)
  if ('folder' in fact)
    return typeof fact.folder === 'string' ? fact.folder : (fact.folder?.name ?? fact.type)
  if ('target' in fact) return deliveryName(fact)
  if ('run' in fact) return runThing(fact.run)
  if ('prompt' in fact) return promptThing(fact.prompt)
  return 'project_id' in fact ? fact.project_id : fact.type
}

export const contentThing = (content: number) => `content ${content}`
export const fileThing = (file: { folder: string; path: string }) => `${file.folder}/${file.path}`
export const runThing = (run: number) => `run ${run}`
export const promptThing = (prompt: string) => `prompt ${prompt}`

interface Refused {
  /** Until when (Unix ms) the work on it rests. */
  until_ms: number
  error: FaultNote
}

/**
 * The ledger's door: it refuses facts with values of a wrong type. The work on such a thing rests,
 * and a trouble names it, until a later fact of the thing is stored, or nothing of it was tried for
 * a day (its folder left the configuration). Other things go on.
 */
export class RefusedFacts {
  /** By thing, the first one that was refused first. */
  readonly #refused = new Map<string, Refused>()

  /**
   * Facts of one record to store, with the troubles that begin or end by them. `error`: for the
   * caller, whose work on a refused thing must not go on. Almost always all facts are sound.
   */
  sort(
    facts: readonly Fact[],
    now_ms: number,
    faults = faultsOf(facts),
  ): { facts: readonly Fact[]; error?: SluiceError } {
    if (faults.size === 0 && this.#refused.size === 0) return { facts }
    for (const [thing, error] of faults)
      this.#refused.set(thing, { until_ms: now_ms + rest_ms, error })
    const sound = facts.filter((fact) => !faults.has(thingOf(fact)))
    const sorted = [...sound, ...this.#troublesAfter(sound, now_ms, faults.size > 0)]
    const [first] = faults
    if (first === undefined) return { facts: sorted }
    const [thing, { message, ...fault }] = first
    return { facts: sorted, error: new SluiceError({ ...fault, message: `${thing}: ${message}` }) }
  }

  /** Call this once these facts are stored. */
  stored(facts: readonly Fact[]): void {
    if (this.#refused.size === 0) return
    for (const fact of facts) {
      if (fact.type === 'trouble_ended') this.#refused.delete(fact.about.slice(refused_fact.length))
    }
  }

  /** True while no work on this thing may be claimed. */
  rests(thing: string, now_ms: number): boolean {
    return now_ms < (this.#refused.get(thing)?.until_ms ?? 0)
  }

  /** The troubles that begin or end by these facts, and those that go on if any does. */
  #troublesAfter(stored: readonly Fact[], now_ms: number, has_faults: boolean): Fact[] {
    // A deferral is no progress of its thing.
    const things = new Set(stored.filter(({ type }) => !type.endsWith('deferred')).map(thingOf))
    const left = new Map(
      [...this.#refused].filter(
        ([thing, { until_ms }]) => !things.has(thing) && now_ms <= until_ms + forget_ms,
      ),
    )
    if (left.size === this.#refused.size && !has_faults) return []
    const named = new Map([...left].slice(0, max_named).map(([thing, { error }]) => [thing, error]))
    const more = left.size - named.size
    if (more > 0)
      named.set(others, noteOf(`facts of ${formatCount(more)} more files, uploads or runs`))
    return [...this.#refused.keys(), others].flatMap((thing): Fact[] => {
      const about = refused_fact + thing
      const error = named.get(thing)
      if (error) return [{ type: 'trouble_began', about, error }]
      return left.has(thing) ? [] : [{ type: 'trouble_ended', about }]
    })
  }
}

/** The first fault of each thing. */
function faultsOf(facts: readonly Fact[]): Map<string, FaultNote> {
  const faults = new Map<string, FaultNote>()
  for (const fact of facts) {
    const why = faultOf(fact)
    if (why === undefined || faults.has(thingOf(fact))) continue
    faults.set(thingOf(fact), noteOf(`${fact.type}: ${why}`))
  }
  return faults
}

const noteOf = (what: string) => ({ code, message: `cannot record ${what}`, hint })

/**
 * Records the facts thing by thing after all together failed: a value deeper in a fact may be of a
 * wrong type. Returns the faults by thing; other errors, such as a full disk, are thrown.
 */
export async function recordApart(
  facts: readonly Fact[],
  fault: unknown,
  record: (facts: readonly Fact[]) => Promise<void>,
): Promise<Map<string, FaultNote>> {
  if (!isOfFact(fault)) throw fault
  const by_thing = new Map<string, Fact[]>()
  for (const fact of facts) listOf(by_thing, thingOf(fact)).push(fact)
  const faults = new Map<string, FaultNote>()
  for (const [thing, own] of by_thing) {
    try {
      await record(own)
    } catch (error) {
      if (!isOfFact(error)) throw error
      faults.set(thing, noteOf(`${own[0]!.type}: ${messageOf(error)}`))
    }
  }
  return faults
}

/** True if a value was refused; false for a full disk, a closed ledger and so on. */
function isOfFact(error: unknown): boolean {
  if (!isSluiceError(error)) return false
  // An error of the ledger's thread that is neither SQLite's nor ours, such as a TypeError.
  if (error.code === 'internal.unexpected' || error.code.startsWith('ERR_')) return true
  const is_of_value = /DATATYPE|MISMATCH|CONSTRAINT|TOOBIG/.test(error.detail ?? '')
  return error.code === 'database.failed' && is_of_value
}

/**
 * Resolves also if the ledger refused a fact: it names the thing, lets it rest, and has stored the
 * facts of all others. So one thing does not stop the work on others.
 */
export async function unlessRefused(recorded: Promise<void>): Promise<void> {
  try {
    await recorded
  } catch (error) {
    if (!isSluiceError(error, code)) throw error
  }
}

const code = 'ledger.refused'
const hint =
  'this is a fault of Sluice: report it with this line; all else goes on. Sluice tries it again later'
