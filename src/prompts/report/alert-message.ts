import { hostname } from 'node:os'
import { localDate, localTime } from '../../base/time/time.ts'
import { type Message, messageId } from '../../deliver/message.ts'
import type { RaisedAlert } from '../../ledger/prompt-work.ts'

/** Also has the values that the templates of reports use, so that one delivery can serve both. */
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
