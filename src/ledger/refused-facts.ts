import { SluiceError } from '../base/run/errors.ts'
import { minute_ms } from '../base/time/time.ts'
import { deliveryName } from '../domain/delivery.ts'
import { type Fact, refused_fact, type TroubleFact } from '../domain/fact.ts'
import { faultOf } from './fact-fields.ts'
import type { CheckWork } from './ledger.ts'

/** Rest of the work on a thing with a refused fact. It repeats calls of the service, so few. */
const rest_ms = 30 * minute_ms
/** Maximum number of things that are named and rest. More would hide everything else in status. */
const max_things = 50

/** A fact is about one thing: these facts of one record are stored together, or none of them. */
export function thingOf(fact: Fact): string {
  if ('content' in fact) return contentThing(fact.content)
  if ('path' in fact) return fileThing(fact)
  if ('folder' in fact) return typeof fact.folder === 'string' ? fact.folder : fact.folder.name
  if ('target' in fact) return deliveryName(fact)
  if ('run' in fact) return runThing(fact.run)
  if ('prompt' in fact) return `prompt ${fact.prompt}`
  if ('project_id' in fact) return fact.project_id
  return 'about' in fact ? fact.about : fact.type
}

export function fileThing({ folder, path }: CheckWork): string {
  return `${folder}/${path}`
}

export function contentThing(content: number): string {
  return `content ${content}`
}

export function runThing(run: number): string {
  return `run ${run}`
}

interface Sorted {
  /** Facts to store, with the troubles that begin or end by them. */
  facts: readonly Fact[]
  /** Things that have no refused fact any more, once `facts` is stored. */
  resolved: readonly string[]
  /** For the caller: its work on these things must not go on. */
  error: SluiceError | undefined
}

/**
 * The ledger's door: it refuses facts with values of a wrong type. The work on such a thing rests,
 * and a trouble names it, until a later fact of the thing is stored. Other things go on.
 */
export class RefusedFacts {
  /** Things with a refused fact, and until when (Unix ms) the work on them rests. */
  readonly #until_ms = new Map<string, number>()

  /** Sorts the facts of one record. Almost always all are sound, and nothing is allocated. */
  sort(facts: readonly Fact[], now_ms: number): Sorted {
    const faults = faultsOf(facts)
    if (!faults && this.#until_ms.size === 0) return { facts, resolved: [], error: undefined }
    if (facts.some(({ type }) => type === 'retried')) this.#endRests()
    const sound = faults ? facts.filter((fact) => !faults.has(thingOf(fact))) : facts
    const resolved = this.#resolvedBy(sound)
    const troubles: TroubleFact[] = resolved.map((thing) => {
      return { type: 'trouble_ended', about: refused_fact + thing }
    })
    for (const [thing, message] of faults ?? []) {
      if (!this.#until_ms.has(thing) && this.#until_ms.size >= max_things) continue
      this.#until_ms.set(thing, now_ms + rest_ms)
      const error = { code: 'ledger.refused', message, hint }
      troubles.push({ type: 'trouble_began', about: refused_fact + thing, error })
    }
    return { facts: [...sound, ...troubles], resolved, error: faults && errorOf(faults) }
  }

  /** Call this once the facts of `sort` are stored. */
  stored({ resolved }: Sorted): void {
    for (const thing of resolved) this.#until_ms.delete(thing)
  }

  /** True while no work on this thing may be claimed. */
  rests(thing: string, now_ms: number): boolean {
    return now_ms < (this.#until_ms.get(thing) ?? 0)
  }

  /** A user asks for a try now. The things stay named. */
  #endRests(): void {
    for (const thing of this.#until_ms.keys()) this.#until_ms.set(thing, 0)
  }

  /** A deferral is no progress of its thing. */
  #resolvedBy(facts: readonly Fact[]): string[] {
    if (this.#until_ms.size === 0) return []
    const things = new Set(
      facts.filter(({ type }) => !type.endsWith('deferred')).map((fact) => thingOf(fact)),
    )
    return [...this.#until_ms.keys()].filter((thing) => things.has(thing))
  }
}

const hint =
  'this is a fault of Sluice: report it with this line; all else goes on. Sluice tries it again later'

/** The first fault of each thing, as a message; undefined without one. */
function faultsOf(facts: readonly Fact[]): Map<string, string> | undefined {
  let faults: Map<string, string> | undefined
  for (const fact of facts) {
    const fault = faultOf(fact)
    if (fault === undefined) continue
    faults ??= new Map()
    const thing = thingOf(fact)
    if (!faults.has(thing)) faults.set(thing, `${thing}: cannot record ${fact.type}: ${fault}`)
  }
  return faults
}

function errorOf(faults: ReadonlyMap<string, string>): SluiceError {
  const [message] = faults.values()
  const more = faults.size > 1 ? ` (and ${faults.size - 1} more)` : ''
  return new SluiceError({ code: 'ledger.refused', message: `${message}${more}`, hint })
}
