import type { NamedFile } from '../file-kind.ts'

/** Headers that mail programs write, and no person, with how their values begin: RFC 5322. */
const mail_marks =
  /^(?:mime-version: *\d\.\d|message-id:\s*<|received: *(?:from|by) |return-path: *<|content-transfer-encoding: *\w+\s*$|delivered-to: *\S+@|x-mailer: *\S|dkim-signature: *[a-z]+=)/im
const mail_names = /^(?:from|to|subject|date|cc|sender|reply-to|snapshot-content-location):/gim
/** A head of mail: maybe the line of a mailbox, then headers that may go on in indented lines. */
const mail_head = /^(?:From \S[^\n]*\n)?(?:[!-9;-~]+:[^\n]*\n(?:[ \t][^\n]*\n)*){3,}/
/** UTF-16 units. Gateways write long heads, but the first names stand in this. */
const head_length = 8_192

/** True for mail as it is sent (.eml, mbox, MHT). A text that quotes mail begins otherwise. */
export function isMail(text: string): boolean {
  const start = `${text.slice(0, head_length).replace(/\r\n?/g, '\n').trimStart()}\n`
  const head = mail_head.exec(start)?.[0]
  if (head === undefined || !mail_marks.test(head)) return false
  return (head.match(mail_names)?.length ?? 0) >= 2
}

const mail_name = /\.(emlx?|mhte?ml|mht|mbox)$/i
const mail_type = /^(message\/(rfc822|global)|application\/(mbox|x-mimearchive)|multipart\/)/i
/** The beginning of mail by its name. Apple's .emlx begins with the number of its bytes. */
const any_head = /^(?:\ufeff|ï»¿)?\s*(?:\d+\s*\n)?(?:[>]?From \S[^\n]*\n)?[!-9;-~]+[ \t]*:/

/** True for a file of mail by its first bytes, or by its name where it has a header. */
export function isMailFile({ filename, mime_type, bytes }: NamedFile & { bytes: Buffer }): boolean {
  const start = bytes.toString('latin1', 0, head_length)
  const is_named = mail_name.test(filename) || mail_type.test(mime_type)
  return (is_named && any_head.test(start)) || isMail(start)
}
