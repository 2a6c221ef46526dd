import { isSurelyUnsent } from '../base/net/network-fault.ts'
import type { Failure } from '../contract/failures.ts'

// The rooms above know the wire only through this one.
export type { Failure, FailureAbout } from '../contract/failures.ts'

/**
 * How a call ended. A failure is a normal end: the network and the service are not ours. `date_ms` is the service's wall clock
 * (its Date header, whole seconds), by which a wrong clock here is noticed.
 */
export type Outcome<T> = { ok: true; value: T; date_ms?: number } | { ok: false; failure: Failure }

export interface Page<Item> {
  items: Item[]
  /** Where the next page begins: hand it in as `after_id`. Absent on the last page. */
  next?: string
}

/**
 * Whether a call that makes something surely made nothing, so that it may be made again: it never reached its host, or the
 * service itself turned it away. Anything else (a time-out, a broken connection, a gateway's 502 or 503) may come after the
 * deed.
 */
export function isSurelyUndone({ about, code, status }: Failure): boolean {
  if (about === 'account' || about === 'project' || about === 'content') return true
  return isSurelyUnsent(code) || status === 429 || (status === 503 && code === 'publicapi.service.unavailable')
}

/** What happened, in the service's own words where it has some. */
export function failureText({ message, humane }: Failure): string {
  return humane === undefined ? message : `${message}: ${humane}`
}
