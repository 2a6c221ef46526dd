import { isSurelyUnsent } from '../base/net/network-fault.ts'
import type { Failure } from '../contract/failures.ts'

// Other modules use the wire types only through this file.
export type { Failure, FailureAbout } from '../contract/failures.ts'

/**
 * How a call ended. Failures of the network and the service are normal ends. `date_ms`: wall clock
 * of the service (Date header, whole seconds), which shows if the local clock is wrong.
 */
export type Outcome<T> = { ok: true; value: T; date_ms?: number } | { ok: false; failure: Failure }

export interface Page<Item> {
  items: Item[]
  /** Pass it as `after_id` for the next page; absent on the last page. */
  next?: string
}

/**
 * True if a failed call surely created nothing, so that it can be repeated: it never reached its
 * host, or the service itself refused it. Any other failure (a time-out, a broken connection, a
 * gateway's 502 or 503) may come after the call took effect.
 */
export function isSurelyUndone({ about, code, status }: Failure): boolean {
  if (about === 'account' || about === 'project' || about === 'content') return true
  return isSurelyUnsent(code) || status === 429 || (status === 503 && code === 'publicapi.service.unavailable')
}

/** The error text, with the service's own words if it has some. */
export function failureText({ message, humane }: Failure): string {
  return humane === undefined ? message : `${message}: ${humane}`
}
