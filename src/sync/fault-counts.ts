import { isSurelyUnsent } from '../base/net/network-fault.ts'
import { type Clock, minute_ms } from '../base/time/time.ts'
import type { Failure } from '../remote/outcome.ts'
import type { Step } from './upload/send-places.ts'

export type Host = 'api' | 'blob'

/** The content that a failed call was about, and the step of its upload, where it was one. */
export interface Concern {
  content: number
  step?: Step | undefined
}

/**
 * One failure may be chance. Three in a row, or three contents with the same fault, are a fault of
 * the service.
 */
const failures_to_trip = 3
/**
 * One content alone needs one failure more: its slot is given up at the third, and the fourth is
 * that of another slot.
 */
const failures_alone_to_trip = 4
/** Contents that meet the same fault within this time meet it together. */
const alike_ms = 5 * minute_ms
/**
 * A host that answered others within this time works: a content that fails there alone fails for
 * itself.
 */
const works_ms = 5 * minute_ms

/**
 * Whether a failure may be that of the host, not of one item. An answer that nobody understands may
 * be: a captive portal or a sign-in page answers every call in the same way. The blob store has
 * spoken with such an answer, and may mean the one upload.
 */
export function isOfAHost({ about }: Failure, host: Host): boolean {
  return about === 'network' || about === 'later' || (about === 'unknown_protocol' && host === 'api')
}

interface InARow {
  times: number
  /** Failures that are about no content. */
  general: number
  contents: Set<number>
}

/** Counts failed calls, and tells a fault of the service from a fault of one content. */
export function createFaultCounts(clock: Clock) {
  const in_a_row = new Map<Host, InARow>()
  const succeeded_ms = new Map<Host, number>()
  /** By step and fault: when each content last met it. */
  const alike = new Map<string, Map<number, number>>()

  return {
    /** Counts a failure that may be that of a host. True where so many came in a row that it is. */
    addInARow({ code }: Failure, host: Host, concern: Concern | undefined): boolean {
      const row = in_a_row.get(host) ?? { times: 0, general: 0, contents: new Set() }
      in_a_row.set(host, row)
      row.times++
      // Every call goes to the same API. Where to upload stands in the ticket of the content.
      const is_general = concern === undefined || (host === 'api' && isSurelyUnsent(code))
      if (is_general) row.general++
      else row.contents.add(concern.content)
      if (row.general + row.contents.size >= failures_to_trip) return true
      const works = clock.monotonic_ms() - (succeeded_ms.get(host) ?? Number.NEGATIVE_INFINITY) < works_ms
      return row.times >= failures_alone_to_trip && !works
    },
    /**
     * Counts a fault of one step. True where so many contents met the same one that it is the
     * service's.
     */
    addAlike({ about, code, status }: Failure, step: Step, content: number): boolean {
      const now_ms = clock.monotonic_ms()
      const key = `${step} ${code ?? status ?? about}`
      const met = alike.get(key) ?? new Map<number, number>()
      alike.set(key, met.set(content, now_ms))
      for (const [fault, contents] of alike) {
        for (const [other, at_ms] of contents) if (now_ms - at_ms > alike_ms) contents.delete(other)
        if (contents.size === 0) alike.delete(fault)
      }
      return met.size >= failures_to_trip
    },
    succeeded(host: Host, step?: Step): void {
      in_a_row.delete(host)
      succeeded_ms.set(host, clock.monotonic_ms())
      if (step === undefined) return
      for (const fault of alike.keys()) if (fault.startsWith(`${step} `)) alike.delete(fault)
    },
  }
}
