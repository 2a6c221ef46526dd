import type { HttpClient } from '../base/net/http-client.ts'
import { SluiceError, toPlainError } from '../base/run/errors.ts'
import { scrubText } from '../base/text/scrub.ts'
import type { Clock } from '../base/time/time.ts'

/**
 * `is_final`: another try would end the same way, a person must look. `retry_after_ms`: the receiver asked for this rest. `output`:
 * the end of what a command wrote.
 */
export type Delivered = { ok: true; output?: string } | NotDelivered

export interface NotDelivered {
  ok: false
  output?: string
  error: { code: string; message: string }
  is_final: boolean
  retry_after_ms?: number
}

export interface DeliveryTools {
  /** With the proxy of the environment; its time-outs bound a webhook. */
  http: HttpClient
  clock: Clock
  /** Ends what is under way; it counts as not delivered. */
  signal: AbortSignal
  /** All of the environment that a command gets, besides SLUICE_*. */
  environment: CommandEnvironment
}

interface CommandEnvironment {
  readonly PATH?: string | undefined
  readonly HOME?: string | undefined
  readonly LANG?: string | undefined
}

export const delivered: Delivered = { ok: true }

export function finalFault(code: string, message: string, hint: string): NotDelivered {
  return failed(new SluiceError({ code, message, hint }), true)
}

export function laterFault(code: string, message: string, hint?: string): NotDelivered {
  return failed(new SluiceError({ code, message, hint }), false)
}

export function failed(fault: unknown, is_final: boolean): NotDelivered {
  const { code, message, hint } = toPlainError(fault)
  return {
    ok: false,
    error: { code, message: scrubText(hint === undefined ? message : `${message}; ${hint}`) },
    is_final,
  }
}
