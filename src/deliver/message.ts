import { createHash } from 'node:crypto'
import { isoTime } from '../base/time/time.ts'

/** A report or an alert to deliver. */
export interface Message {
  /** The same at every try, so that receivers can drop duplicates. */
  id: string
  subject: string
  /** Markdown. */
  text: string
  /** Wall clock time of the event. It is the same at every try, like all signed content. */
  at_ms: number
  /** Values for templates and the JSON body: name, date, report (path), … */
  values: Readonly<Record<string, string>>
  /** Extra data for the JSON body; holds no secret. */
  data: unknown
}

/** Includes the delivery: a receiver of two must not drop the second as a duplicate. */
export function messageId(kind: 'run' | 'alert', parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return `${kind}_${digest.slice(0, 24)}`
}

/**
 * Names that delivery templates may use besides the values of the message.
 *
 * @internal
 */
export const message_value_names = ['id', 'subject', 'text', 'at'] as const

export function templateValues({ id, subject, text, at_ms, values }: Message): Record<string, string> {
  return { ...values, id, subject, text, at: isoTime(at_ms) }
}
