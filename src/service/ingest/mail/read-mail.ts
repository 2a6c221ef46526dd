import { isSluiceError } from '../../../base/run/errors.ts'
import { DocumentText, type ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import { addInner, type ReadInner } from '../inner-document.ts'
import { decodeForeign } from '../text/charset.ts'
import { textDocument } from '../text/text-document.ts'
import { decodedWords, type MailPart, mailParts } from './mail-parts.ts'
import { messagesOf } from './mailbox.ts'
import { readMessage } from './message.ts'
import { sortParts } from './sort-parts.ts'

const header_names = ['From', 'To', 'Cc', 'Date', 'Subject']
/** Parts that are closed to every reader, by type and name, and what each is. */
const closed_parts: readonly (readonly [part: RegExp, what: string])[] = [
  [
    /pkcs7-mime |\.p7m$/i,
    'it is encrypted, or signed in a form that the service does not read (S/MIME)',
  ],
  [
    /ms-tnef | winmail\.dat$/i,
    'it is mail in the format of Outlook (TNEF), which the service does not read',
  ],
]
/** Bytes before a mail: the mark of UTF-8, or in Apple's .emlx the number of its bytes. */
const before_mail = /^(?:\u00ef\u00bb\u00bf)?\s*(?:(\d+)\s*\n)?/
/** Apple's notes about a mail, behind its bytes. */
const after_mail = '<?xml'
const before_bytes = 100
/** Bytes in which the subject of mail in mail stands. */
const max_head_start = 8_192

/** Reads mail, a saved page (MHT), or a mailbox: each message of it is a part. */
export async function readMail(
  bytes: Buffer,
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const messages = messagesOf(withLineEnds(bytes))
  if (messages.length === 1) return readOne(messages[0]!, limits, readInner)
  const text = new DocumentText(limits, 'part')
  for (const [at, message] of messages.entries()) {
    text.begin()
    text.places.beginUnit(text.length, `message ${at + 1}`)
    await addInner(text, `message ${at + 1}`, () => readOne(message, limits, readInner))
    text.addLabel('\n\n')
  }
  return text.end()
}

/** Lines of old programs of Apple end in carriage returns alone. */
function withLineEnds(bytes: Buffer): Buffer {
  if (bytes.includes('\n')) return bytes
  return Buffer.from(bytes.toString('latin1').replaceAll('\r', '\n'), 'latin1')
}

/** A mail without what Apple writes before and behind it. */
function mailIn(bytes: Buffer): Buffer {
  const [before = '', count] = before_mail.exec(bytes.toString('latin1', 0, before_bytes)) ?? []
  const end = before.length + Number(count)
  const is_noted = bytes.toString('latin1', end, end + after_mail.length) === after_mail
  return bytes.subarray(before.length, is_noted ? end : undefined)
}

async function readOne(
  bytes: Buffer,
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const root = await mailParts(mailIn(bytes))
  const read = (part: MailPart) => readBody(part, limits)
  const { bodies, attachments } = sortParts(root, (part) => wordsOf(part, read))
  const message = {
    headers: header_names.map((name) => [name, root.header(name)] as const),
    bodies: bodies.map((part) => () => read(part)),
    attachments: attachments.map((part, at) => ({
      filename: nameOf(part, at + 1),
      mime_type: part.charset ? `${part.type}; charset=${part.charset}` : part.type,
      bytes: () => part.bytes,
      unread: closed_parts.find(([one]) => one.test(`${part.type} ${part.filename}`))?.[1],
    })),
  }
  return readMessage(message, limits, readInner)
}

/** The charset of the mail counts: that in its HTML is often the one before a server changed it. */
function readBody({ type, charset, bytes, line_join }: MailPart, limits: ExtractLimits) {
  const decoded = decodeForeign(bytes, charset)
  if (decoded === undefined) throw unreadable('it is not text in a known character set')
  const { text, doubt } = decoded
  const filename = type === 'text/html' ? 'body.html' : 'body.txt'
  const shown =
    line_join === undefined ? text : text.replace(/(?<!^--) \r?\n(?![\r\n])/gm, line_join)
  return textDocument({ filename, mime_type: type }, { text: shown, doubt }, limits)
}

function wordsOf(part: MailPart, read: (part: MailPart) => ReadDocument): number {
  try {
    return read(part).text.split(/\s+/).length
  } catch (error) {
    if (isSluiceError(error)) return 0
    throw error
  }
}

/** The subject in a head of mail, whose lines go on in indented ones. */
const subject_line = /^(?:[^\r\n]+\r?\n)*?subject:[ \t]*(\S[^\r\n]*(?:\r?\n[ \t]+[^\r\n]+)*)/i

/** Mail in mail has its subject; others without a name, their number. */
function nameOf({ filename, type, bytes }: MailPart, number: number): string {
  if (filename !== '') return filename
  const subject = subject_line.exec(bytes.toString('latin1', 0, max_head_start))?.[1]
  if (type === 'message/rfc822' && subject !== undefined)
    return `${decodedWords(subject.replace(/\s+/g, ' '))}.eml`
  return `${number} (${type})`
}
