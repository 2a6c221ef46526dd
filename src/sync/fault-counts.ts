import { isSurelyUnsent } from '../base/net/network-fault.ts'
import { formatDuration } from '../base/text/format.ts'
import { type Clock, minute_ms } from '../base/time/time.ts'
import type { SendWork } from '../ledger/ledger.ts'
import type { Failure } from '../remote/outcome.ts'
import { unsendable_header } from '../remote/put-bytes.ts'

export type Host = 'api' | 'blob'
/** The calls of an upload, in their order. */
export type Step = 'create' | 'put' | 'complete'

/** Content that a failed call was about, and the step of its upload, if any. */
export interface Concern {
  content: number
  step?: Step | undefined
}

/**
 * One failure may be chance. Three in a row, of different contents or of none, are the service's
 * fault. So are equal faults of three contents.
 */
const failures_to_trip = 3
/** One content alone: the third failure ends its slot, and the fourth comes from a new slot. */
const failures_alone_to_trip = 4
/** Maximum time between equal faults of several contents to count together. */
const alike_ms = 5 * minute_ms
/** A host that answered others within this time works; a content that fails alone is at fault. */
const works_ms = 5 * minute_ms

/**
 * True if a failure may come from the host, not from one item. An unknown answer of the API counts:
 * a captive portal or sign-in page answers every call that way. From the blob store, or with a
 * header that cannot be sent, it may concern one upload only.
 */
export function isOfAHost({ about, code }: Failure, host: Host): boolean {
  if (about === 'network' || about === 'later') return true
  return about === 'unknown_protocol' && host === 'api' && code !== unsendable_header
}

interface InARow {
  times: number
  /** Number of failures that concern no content. */
  general: number
  contents: Set<number>
}

/** Counts failed calls, to separate a fault of the service from a fault of one content. */
export function createFaultCounts(clock: Clock) {
  const in_a_row = new Map<Host, InARow>()
  const succeeded_ms = new Map<Host, number>()
  /** Per step and fault: the last time for each content. */
  const alike = new Map<string, Map<number, number>>()

  return {
    /** Counts a failure that may come from a host. True if enough of them came in a row. */
    addInARow({ code }: Failure, host: Host, concern: Concern | undefined): boolean {
      const row = in_a_row.get(host) ?? { times: 0, general: 0, contents: new Set() }
      in_a_row.set(host, row)
      row.times++
      // All calls use the same API. The upload address comes from the content's ticket.
      const is_general = concern === undefined || (host === 'api' && isSurelyUnsent(code))
      if (is_general) row.general++
      else row.contents.add(concern.content)
      if (row.general + row.contents.size >= failures_to_trip) return true
      const works =
        clock.monotonic_ms() - (succeeded_ms.get(host) ?? Number.NEGATIVE_INFINITY) < works_ms
      return row.times >= failures_alone_to_trip && !works
    },
    /** Counts a fault of one step. True if enough contents had it to blame the service. */
    addAlike({ about, code, status }: Failure, step: Step, content: number): boolean {
      const now_ms = clock.monotonic_ms()
      const key = `${step} ${code ?? status ?? about}`
      const met = alike.get(key) ?? new Map<number, number>()
      alike.set(key, met.set(content, now_ms))
      for (const [fault, contents] of alike) {
        for (const [other, at_ms] of contents) {
          if (now_ms - at_ms > alike_ms) contents.delete(other)
        }
        if (contents.size === 0) alike.delete(fault)
      }
      return met.size >= failures_to_trip
    },
    succeeded(host: Host, step?: Step): void {
      in_a_row.delete(host)
      succeeded_ms.set(host, clock.monotonic_ms())
      if (step === undefined) return
      for (const fault of alike.keys()) {
        if (fault.startsWith(`${step} `)) alike.delete(fault)
      }
    },
  }
}

/** A slot ends after so many failures in a row: its ticket may be the cause. */
const max_slot_failures = 3
/** No content is given up sooner: a fault of the service may last as long. */
const min_failing_ms = 10 * minute_ms

/**
 * True if another slot may help: this one failed too often, at the blob store or as unknown to
 * `complete`. The last try has its own slot: no content is given up for an old ticket.
 */
export function isSlotGivenUp(
  { slot_failures, attempts }: Pick<SendWork, 'slot_failures' | 'attempts'>,
  { about }: Failure,
  step: Step | undefined,
  max_attempts: number,
): boolean {
  const is_last_next = attempts + 2 >= max_attempts
  return (
    (step === 'put' || about === 'slot_gone') &&
    (is_last_next || slot_failures + 1 >= max_slot_failures)
  )
}

/** Reason to give up a content after this failure; undefined while it is retried. */
export function givenUp(
  { attempts, failing_since_ms }: Pick<SendWork, 'attempts' | 'failing_since_ms'>,
  failure: Failure,
  max_attempts: number,
  now_ms: number,
): Failure | undefined {
  const failing_ms = now_ms - (failing_since_ms ?? now_ms)
  if (failure.code === unsendable_header) return undefined
  if (attempts + 1 < max_attempts || failing_ms < min_failing_ms) return undefined
  const message = `given up after ${attempts + 1} tries in ${formatDuration(failing_ms)}: ${failure.message}`
  return { ...failure, code: 'gave_up', message }
}
