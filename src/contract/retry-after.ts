import { hour_ms, second_ms } from '../base/time.ts'
import { type HttpAnswer, headerValue } from './error-answer.ts'

/** Whatever the service asks for, it is asked again after an hour: a slip of a digit must not stop a daemon for a year. */
const longest_wait_ms = hour_ms

/**
 * Retry-After (RFC 9110, section 10.2.3) in milliseconds from now: seconds, or a date. A date is taken against the answer's
 * own Date header, so that a clock that is wrong here does no harm; against `now_ms` where there is none. Undefined when absent
 * or unreadable.
 */
export function retryAfter_ms(headers: HttpAnswer['headers'], now_ms: number): number | undefined {
  const value = headerValue(headers, 'retry-after')?.trim()
  if (value === undefined) return undefined
  const wait_ms = /^\d+$/.test(value) ? Number(value) * second_ms : untilDate_ms(value, headers, now_ms)
  return wait_ms === undefined ? undefined : Math.min(Math.max(0, wait_ms), longest_wait_ms)
}

/** The Date header as Unix milliseconds: the sender's wall clock. */
export function dateHeader_ms(headers: HttpAnswer['headers']): number | undefined {
  return httpDate_ms(headerValue(headers, 'date'))
}

function untilDate_ms(value: string, headers: HttpAnswer['headers'], now_ms: number): number | undefined {
  const due_ms = httpDate_ms(value)
  return due_ms === undefined ? undefined : due_ms - (dateHeader_ms(headers) ?? now_ms)
}

/** IMF-fixdate and its two obsolete forms (RFC 9110, section 5.6.7) all begin with the name of a day. */
function httpDate_ms(value: string | undefined): number | undefined {
  if (value === undefined || !/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined
  // The asctime form carries no zone; every HTTP date is in GMT.
  const at_ms = Date.parse(/GMT$/.test(value) ? value : `${value} GMT`)
  return Number.isNaN(at_ms) ? undefined : at_ms
}
