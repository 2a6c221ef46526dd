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
 * Names that templates of deliveries know besides the message's own values.
 *
 * @internal
 */
export const message_value_names = ['id', 'subject', 'text', 'at'] as const

export function templateValues({ id, subject, text, at_ms, values }: Message): Record<string, string> {
  return { ...values, id, subject, text, at: isoTime(at_ms) }
}
