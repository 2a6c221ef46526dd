import { type Clock, minute_ms } from '../base/time/time.ts'
import { concernsAll, featureOf, type InARow, mayRest } from '../remote/judge-failure.ts'
import type { Call, Failure } from '../remote/outcome.ts'

/** Maximum time between equal faults of several contents to count together. */
const alike_ms = 5 * minute_ms
/** A host that answered others within this time works; a content that fails alone is at fault. */
const works_ms = 5 * minute_ms

interface Row {
  times: number
  general: number
  contents: Set<number>
}

/** The host that a call goes to. */
export function hostOf(call: Call): 'api' | 'blob' {
  return call === 'put' ? 'blob' : 'api'
}

/** Counts failed calls. From these counts `judgeFailure` decides what is at fault. */
export class FaultCounts {
  readonly #clock: Clock
  /** By host, by feature and project, or by a right in a project. */
  readonly #in_a_row = new Map<string, Row>()
  readonly #succeeded_ms = new Map<string, number>()
  /** Per call and fault: the last time for each content. */
  readonly #alike = new Map<string, Map<number, number>>()

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Counts a failure. `content`: the content that the call was about; undefined for none. */
  add(
    failure: Failure,
    project_id: string,
    content: number | undefined,
  ): { in_a_row?: InARow; alike?: number } {
    const rest = mayRest(failure)
    let key = rest === 'host' ? hostOf(failure.call) : `${rest} ${project_id}`
    if (failure.about === 'uploads') key = rightKey(failure.call, project_id)
    return {
      ...((rest !== undefined || failure.about === 'uploads') && {
        in_a_row: this.#addInARow(key, failure, content),
      }),
      ...(content !== undefined && { alike: this.#addAlike(failure, project_id, content) }),
    }
  }

  succeeded(call: Call, project_id: string): void {
    this.#in_a_row.delete(`${featureOf(call)} ${project_id}`)
    for (const key of [hostOf(call), rightKey(call, project_id)]) {
      this.#in_a_row.delete(key)
      this.#succeeded_ms.set(key, this.#clock.monotonic_ms())
    }
    for (const fault of this.#alike.keys()) {
      if (fault.startsWith(`${placeOf(call, project_id)} `)) this.#alike.delete(fault)
    }
  }

  #addInARow(key: string, failure: Failure, content: number | undefined): InARow {
    const row = this.#in_a_row.get(key) ?? { times: 0, general: 0, contents: new Set() }
    this.#in_a_row.set(key, row)
    row.times++
    // All calls use the same API. The upload address comes from the content's ticket.
    if (content === undefined || concernsAll(failure)) row.general++
    else row.contents.add(content)
    const last_ms = this.#succeeded_ms.get(key) ?? Number.NEGATIVE_INFINITY
    const works = this.#clock.monotonic_ms() - last_ms < works_ms
    return { times: row.times, general: row.general, contents: row.contents.size, works }
  }

  #addAlike({ about, call, code, status }: Failure, project_id: string, content: number): number {
    const now_ms = this.#clock.monotonic_ms()
    const key = `${placeOf(call, project_id)} ${code ?? status ?? about}`
    const met = this.#alike.get(key) ?? new Map<number, number>()
    this.#alike.set(key, met.set(content, now_ms))
    for (const [fault, contents] of this.#alike) {
      for (const [other, at_ms] of contents) {
        if (now_ms - at_ms > alike_ms) contents.delete(other)
      }
      if (contents.size === 0) this.#alike.delete(fault)
    }
    return met.size
  }
}

/** A right may be missing for one call in one project. */
function rightKey(call: Call, project_id: string): string {
  return `right to ${call} in ${project_id}`
}

/** A step of uploads is the same everywhere; a feature may be refused in one project alone. */
function placeOf(call: Call, project_id: string): string {
  return featureOf(call) === undefined ? call : `${call} in ${project_id}`
}
