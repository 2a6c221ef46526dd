import { isSluiceError } from '../../../base/run/errors.ts'
import { DocumentText, type ReadDocument } from '../document-text.ts'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import { addInner, type ReadInner } from '../inner-document.ts'
import { decodeForeign } from '../text/charset.ts'
import { sourceFault } from '../text/source-text.ts'
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
const before_mail = /^(?:\u00ef\u00bb\u00bf)?\s*(?:\d+\s*\n)?/
const before_bytes = 100

/** Reads mail, a saved page (MHT), or a mailbox: each message of it is a part. */
export async function readMail(
  bytes: Buffer,
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const messages = messagesOf(bytes)
  if (messages.length <= 1) return readOne(messages[0] ?? bytes, limits, readInner)
  const text = new DocumentText(limits, 'part')
  for (const [at, message] of messages.entries()) {
    text.begin()
    text.places.beginUnit(text.length, `message ${at + 1}`)
    await addInner(text, `message ${at + 1}`, () => readOne(message, limits, readInner))
    text.addLabel('\n\n')
  }
  return text.end()
}

async function readOne(
  bytes: Buffer,
  limits: ExtractLimits,
  readInner: ReadInner,
): Promise<ReadDocument> {
  const [before = ''] = before_mail.exec(bytes.toString('latin1', 0, before_bytes)) ?? []
  const root = await mailParts(bytes.subarray(before.length))
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
function readBody({ type, charset, bytes, is_flowed }: MailPart, limits: ExtractLimits) {
  const text = decodeForeign(bytes, charset)?.text
  if (text === undefined) throw unreadable('it is not text in a known character set')
  const filename = type === 'text/html' ? 'body.html' : 'body.txt'
  const fault = sourceFault(text, filename)
  if (fault !== undefined) throw fault
  const shown = is_flowed ? text.replace(/(?<!^--) \r?\n(?![\r\n])/gm, ' ') : text
  return textDocument({ filename, mime_type: type }, shown, limits)
}

function wordsOf(part: MailPart, read: (part: MailPart) => ReadDocument): number {
  try {
    return read(part).text.split(/\s+/).length
  } catch (error) {
    if (isSluiceError(error)) return 0
    throw error
  }
}

/** Mail in mail has its subject; others without a name, their number. */
function nameOf({ filename, type, bytes }: MailPart, number: number): string {
  if (filename !== '') return filename
  const subject = /^subject:[ \t]*(\S[^\r\n]*)/im.exec(bytes.toString('latin1', 0, 8_192))?.[1]
  if (type === 'message/rfc822' && subject !== undefined) return `${decodedWords(subject)}.eml`
  return `${number} (${type})`
}
