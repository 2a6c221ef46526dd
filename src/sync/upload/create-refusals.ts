import type { ContentFact } from '../../domain/fact.ts'
import { type TypeStanding, typeRest } from '../../domain/file-type.ts'
import { type CreateRefusals, failures_to_blame } from '../../remote/judge-failure.ts'
import type { Failure } from '../../remote/outcome.ts'

/** The first contents of a project that the service refused alike, without a success between. */
interface Round {
  project_id: string
  failure: Failure
  /** Their types, by content. */
  contents: Map<number, string>
  is_project_proven: boolean
}

/** Remembers what the service refuses on create, to tell a content from its type, and from all. */
export class RefusedContents {
  /** By project and answer. */
  readonly #rounds = new Map<string, Round>()
  /** Project and type of what rests. */
  readonly #resting = new Set<string>()

  /** Counts a refusal. Returns what `judgeFailure` must know about it. */
  add(failure: Failure, project_id: string, content: number, type: TypeStanding): CreateRefusals {
    const { extension, is_proven, is_project_proven } = type
    const key = keyOf(failure, project_id)
    const round = this.#rounds.get(key) ?? {
      project_id,
      failure,
      contents: new Map<number, string>(),
      is_project_proven,
    }
    this.#rounds.set(key, round)
    const is_test = round.contents.size >= failures_to_blame
    if (!is_test) round.contents.set(content, extension)
    const rests = type.rests || this.#resting.has(`${project_id} ${extension}`)
    return { contents: round.contents.size, rests, is_test, is_proven, is_project_proven }
  }

  /** Lets the type rest. Returns the facts about it, and about those refused before for the same. */
  rest(failure: Failure, project_id: string, content: number, extension: string): ContentFact[] {
    const contents =
      this.#rounds.get(keyOf(failure, project_id))?.contents ?? new Map<number, string>()
    const is_enough = contents.size >= failures_to_blame
    const others = [...contents].filter(
      ([, type]) => is_enough && !this.#resting.has(`${project_id} ${type}`),
    )
    const resting = new Map([...others, [content, extension]])
    for (const type of resting.values()) this.#resting.add(`${project_id} ${type}`)
    return [...resting].map(([id, type]) => {
      return { type: 'type_rests', content: id, error: typeRest(type, failure.message) }
    })
  }

  /** The service took a content. True if its type rested until now. */
  succeeded(project_id: string, { extension, rests }: TypeStanding): boolean {
    this.#forgetRounds(project_id)
    return this.#resting.delete(`${project_id} ${extension}`) || rests
  }

  /** No type of the project is at fault. */
  forget(project_id: string): void {
    this.#forgetRounds(project_id)
    for (const place of this.#resting) {
      if (place.startsWith(`${project_id} `)) this.#resting.delete(place)
    }
  }

  /** Refusals in projects where nothing was ever ready: without another type, all are refused. */
  unproven(): Round[] {
    return [...this.#rounds.values()].filter(
      ({ contents, is_project_proven }) => contents.size >= failures_to_blame && !is_project_proven,
    )
  }

  #forgetRounds(project_id: string): void {
    for (const [key, round] of this.#rounds) {
      if (round.project_id === project_id) this.#rounds.delete(key)
    }
  }
}

function keyOf({ code, status }: Failure, project_id: string): string {
  return `${project_id} ${code ?? status}`
}
