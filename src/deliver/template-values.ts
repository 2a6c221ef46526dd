import { isoTime } from '../base/time.ts'
import type { Message } from './message.ts'

/**
 * Names that templates of deliveries know besides the message's own values.
 *
 * @internal
 */
export const message_value_names = ['id', 'subject', 'text', 'at'] as const

export function templateValues({ id, subject, text, at_ms, values }: Message): Record<string, string> {
  return { ...values, id, subject, text, at: isoTime(at_ms) }
}
