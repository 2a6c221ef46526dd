import { createHash } from 'node:crypto'
import { isoTime } from '../base/time/time.ts'

/** What is delivered: a report, or an alert. */
export interface Message {
  /** The same at every try: receivers drop what they have seen. */
  id: string
  subject: string
  /** Markdown. */
  text: string
  /** When what it tells about happened, wall clock: part of what is signed stays the same at every try. */
  at_ms: number
  /** Values for templates and the JSON body: name, date, report (path), … */
  values: Readonly<Record<string, string>>
  /** For the JSON body alone; holds no secret. */
  data: unknown
}

/**
 * The id of a message: the same at every try and in every life. `parts` names what the message is
 * about and its delivery, for a receiver of two deliveries must not drop the second as a repeat.
 */
export function messageId(kind: 'run' | 'alert', parts: readonly (string | number)[]): string {
  const digest = createHash('sha256').update(JSON.stringify(parts)).digest('hex')
  return `${kind}_${digest.slice(0, 24)}`
}

/**
 * Names that templates of deliveries know besides the message's own values.
 *
 * @internal
 */
export const message_value_names = ['id', 'subject', 'text', 'at'] as const

export function templateValues({ id, subject, text, at_ms, values }: Message): Record<string, string> {
  return { ...values, id, subject, text, at: isoTime(at_ms) }
}
