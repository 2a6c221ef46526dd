import { createHash } from 'node:crypto'
import type { HttpClient } from '../base/net/http-client.ts'
import { SluiceError, toPlainError } from '../base/run/errors.ts'
import { scrubText } from '../base/text/scrub.ts'
import { type Clock, isoTime } from '../base/time/time.ts'
import type { ReportHead } from './report-head.ts'

/** A report or an alert to deliver. */
export interface Message {
  /** The same at every try, so that receivers can drop duplicates. */
  id: string
  subject: string
  /** Markdown. */
  text: string
  /** What `text` is made of, for deliveries that have a form of their own. Absent in an alert. */
  report?: { head: ReportHead; body: string; page?: string }
  /** Wall clock time of the event, Unix ms. It is the same at every try, like the whole body. */
  at_ms: number
  /** Values for templates and the JSON body: name, date, report (path), … */
  values: Readonly<Record<string, string>>
  /** Extra data for the JSON body; holds no secret. */
  data: unknown
}

/** `parts` include the delivery: a receiver of two must not drop the second as a duplicate. */
export function messageId(kind: 'run' | 'alert', parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return `${kind}_${digest.slice(0, 24)}`
}

/** The values that delivery templates may use, by name. */
export function templateValues({
  id,
  subject,
  text,
  at_ms,
  values,
}: Message): Record<string, string> {
  return { ...values, id, subject, text, at: isoTime(at_ms) }
}

/** The outcome of one try. `output` is the end of the text that a command wrote. */
export type Delivered = { ok: true; output?: string } | NotDelivered

export interface NotDelivered {
  ok: false
  output?: string
  error: { code: string; message: string }
  /** Another try would fail in the same way: a user must act. */
  is_final: boolean
  /** Pause that the receiver asked for; absent without one. */
  retry_after_ms?: number
}

export interface DeliveryTools {
  /** Uses the proxy of the environment. Its time-outs limit a webhook. */
  http: HttpClient
  clock: Clock
  /** Ends a delivery in progress, which then counts as not delivered. */
  signal: AbortSignal
  /** The environment of commands, besides SLUICE_*. */
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
