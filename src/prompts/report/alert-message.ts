import { hostname } from 'node:os'
import { localDate, localTime } from '../../base/time/time.ts'
import { type Message, messageId } from '../../deliver/message.ts'
import type { RaisedAlert } from '../../ledger/prompt-work.ts'

/** Has the values of a report's templates as well, so that one delivery may serve both. */
export function alertMessage({ message_id, at_ms, subject, text, reasons }: RaisedAlert, target: string): Message {
  const zone = Intl.DateTimeFormat().resolvedOptions().timeZone
  const times = { date: localDate(at_ms, zone), due: localTime(at_ms, zone) }
  return {
    id: messageId('alert', [message_id, target]),
    subject,
    text,
    at_ms,
    values: { name: 'sluice-alert', ...times, report: '', manifest: '', count: String(reasons.length) },
    data: { host: hostname(), healthy: reasons.length === 0, reasons },
  }
}
