import { askingPaths } from '../base/files/ask-paths.ts'
import { max_certificates_bytes } from '../base/files/atomic-file.ts'
import { readSmallText } from '../base/files/paths.ts'
import { isFinalMailError, type MailServer, sendMail } from '../base/net/mail.ts'
import { causeOf, codeOf } from '../base/run/errors.ts'
import { renderTemplate } from '../base/text/template.ts'
import { type Clock, minute_ms } from '../base/time/time.ts'
import { escapeHtml, plainText, renderMarkdown, type Styles } from './markdown.ts'
import {
  type Delivered,
  type DeliveryTools,
  delivered,
  failed,
  laterFault,
  type Message,
  templateValues,
} from './message.ts'
import { type EmailTarget, readSecretFile } from './target.ts'

/** Without a limit, a server that sends a line every minute would hold the connection for ever. */
const max_mail_ms = 10 * minute_ms

/** Returns most failures; throws `delivery.secret_file` and `template.*`. */
export async function deliverByEmail(
  target: EmailTarget,
  message: Message,
  { clock, signal }: DeliveryTools,
): Promise<Delivered> {
  const { host, port, tls, user, password_file, ca_file } = target.smtp
  const password =
    password_file === undefined
      ? ''
      : await readSecretFile(password_file, 'the password of the mail account')
  const login = user === undefined ? undefined : { user, password }
  const ca = ca_file === undefined ? undefined : await readCa(ca_file)
  if (typeof ca === 'object') return ca
  const subject =
    target.subject === undefined
      ? message.subject
      : renderTemplate(target.subject, templateValues(message))
  const { from, to } = target
  const { id, text, at_ms: date_ms } = message
  const html = htmlOf(subject, text, message.report?.head.language)
  const mail = { from, to, subject, text: plainText(text), html, id, date_ms }
  const server: MailServer = { host, port, tls, login, ca }
  return withinTime(clock, signal, async (limited) => {
    try {
      await sendMail(server, mail, limited)
      return delivered
    } catch (error) {
      // A failed login is not final: server and password file can be corrected meanwhile.
      return failed(error, codeOf(error) !== 'mail.login' && isFinalMailError(codeOf(error)))
    }
  })
}

async function readCa(file: string): Promise<string | Delivered> {
  try {
    return await askingPaths((paths) => readSmallText(file, max_certificates_bytes, paths))
  } catch (error) {
    return laterFault(
      'delivery.ca_file',
      `cannot read ${file}: ${causeOf(error)}`,
      'check that smtp.ca_file is there',
    )
  }
}

async function withinTime<T>(
  clock: Clock,
  signal: AbortSignal,
  work: (limited: AbortSignal) => Promise<T>,
): Promise<T> {
  const too_long = new AbortController()
  const done = new AbortController()
  void clock.sleep(max_mail_ms, done.signal).then(() => too_long.abort())
  try {
    return await work(AbortSignal.any([signal, too_long.signal]))
  } finally {
    done.abort()
  }
}

/** Readable on a phone: long names break, and nothing is wider than the screen. */
const body_style =
  'margin:0 auto;padding:16px;max-width:42em;font:16px/1.5 sans-serif;overflow-wrap:anywhere'
const code_style = 'font:14px/1.4 monospace'
const line = '1px solid #ccc'

const styles: Styles = {
  h1: 'font-size:22px;line-height:1.3;margin:0 0 12px',
  h2: 'font-size:18px;line-height:1.3;margin:24px 0 8px',
  h3: 'font-size:16px;margin:20px 0 8px',
  p: 'margin:0 0 12px',
  ul: 'margin:0 0 12px;padding-left:20px',
  ol: 'margin:0 0 12px;padding-left:24px',
  li: 'margin:0 0 4px',
  blockquote: `margin:0 0 12px;padding:0 0 0 12px;border-left:3px solid #ccc`,
  code: code_style,
  pre: `${code_style};white-space:pre-wrap`,
  hr: `border:0;border-top:${line};margin:20px 0`,
  table: 'border-collapse:collapse;margin:0 0 12px',
  th: `border:${line};padding:4px 8px;text-align:left`,
  td: `border:${line};padding:4px 8px`,
  a: 'color:#0b57d0',
}

/** Renders Markdown as a whole HTML document; the title is plain text. */
function htmlOf(title: string, text: string, language = 'en'): string {
  const head = `<meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title>`
  const body = `<body style="${body_style}">\n${renderMarkdown(text, styles)}</body>`
  return `<!doctype html>\n<html lang="${language}"><head>${head}</head>${body}</html>\n`
}
