import { createRequire } from 'node:module'
import { decompressRTF } from '@kenjiuno/decompressrtf'
import type { FieldsData } from '@kenjiuno/msgreader'
import { type ExtractLimits, unreadable } from '../extract-limits.ts'
import type { ReadInner } from '../inner-document.ts'
import { readMessage } from '../mail/message.ts'
import { namesIn } from '../mail/sort-parts.ts'
import { extractRtf } from '../rtf/extract-rtf.ts'
import { charsetOfPage } from '../rtf/words.ts'
import { decodeForeign } from '../text/charset.ts'
import { textDocument } from '../text/text-document.ts'
import type { CompoundFile } from './compound-file.ts'

/** A package of CommonJS that says it is a module: loaders differ in what its default is. */
const { default: MsgReader } = createRequire(import.meta.url)(
  '@kenjiuno/msgreader',
) as typeof import('@kenjiuno/msgreader')

/** A stream of a text in the character set of the machine that wrote it. */
const in_old_charset = /001e$/i

/** Decodes a text, or bytes as letters of Latin-1. */
type Decode = (text: string) => string

/** Reads a mail, contact or appointment of Outlook (.msg): its body and its attachments. */
export function readOutlook(
  bytes: Buffer,
  { names }: CompoundFile,
  limits: ExtractLimits,
  readInner: ReadInner,
) {
  // A copy: the library passes over where a view begins in its memory.
  const reader = new MsgReader(new Uint8Array(bytes).buffer)
  const fields = reader.getFileData()
  if (fields.dataType !== 'msg') throw unreadable('it is no message of Outlook')
  const decodeBytes = decoderOf(fields)
  const decode: Decode = names.some((name) => in_old_charset.test(name))
    ? decodeBytes
    : (text) => text
  const html = fields.bodyHtml ?? Buffer.from(fields.html ?? []).toString('latin1')
  const page = fields.bodyHtml ?? decodeBytes(html)
  const shown = namesIn(html)
  const attachments = (fields.attachments ?? []).filter((one) => !isShown(one, shown))
  const message = {
    headers: headersOf(fields).map(([name, value]) => [name, decode(value)] as const),
    bodies: bodiesOf({ ...fields, body: decode(fields.body ?? ''), bodyHtml: page }, limits),
    attachments: attachments.map((one, at) => ({
      filename: decode(nameOf(one, at + 1)),
      mime_type: one.attachMimeTag ?? '',
      bytes: () => Buffer.from(reader.getAttachment(one).content),
      unread: isFile(one) ? undefined : 'it is an object of a program, or a link',
    })),
  }
  return readMessage(message, limits, readInner)
}

/** By the character set that the message names, else by its letters. */
function decoderOf({ messageCodepage, internetCodepage = messageCodepage }: FieldsData): Decode {
  const charset = internetCodepage === undefined ? undefined : charsetOfPage(internetCodepage)
  return (text) => decodeForeign(Buffer.from(text, 'latin1'), charset)?.text ?? text
}

/** What is shown of mail, appointments and contacts: the first field that has a value. */
const named_fields: readonly (readonly [name: string, ...keys: (keyof FieldsData)[]])[] = [
  ['Date', 'clientSubmitTime', 'messageDeliveryTime'],
  ['Subject', 'subject'],
  ['Location', 'apptLocation', 'location'],
  ['Start', 'apptStartWhole'],
  ['End', 'apptEndWhole'],
  ['Company', 'companyName'],
  ['Department', 'departmentName'],
  ['Title', 'title'],
  ['Address', 'postalAddress', 'workAddress'],
  ['Telephone', 'businessTelephoneNumber', 'homeTelephoneNumber'],
  ['Mobile', 'mobileTelephoneNumber'],
  ['Mail', 'email1EmailAddress'],
]

function headersOf(fields: FieldsData): readonly (readonly [string, string])[] {
  const { recipients = [], senderName = '', senderSmtpAddress, senderEmail = '' } = fields
  const sender = senderSmtpAddress ?? (senderEmail.includes('@') ? senderEmail : '')
  const names = (kind: string) =>
    recipients
      .filter(({ recipType }) => (recipType ?? 'to') === kind)
      .map(({ name = '', smtpAddress, email = '' }) => personOf(name, smtpAddress ?? email))
      .join(', ')
  return [
    ['From', personOf(senderName, sender)],
    ['To', names('to')],
    ['Cc', names('cc')],
    ...named_fields.map(
      ([name, ...keys]) => [name, `${keys.map((key) => fields[key]).find(Boolean) ?? ''}`] as const,
    ),
  ]
}

function personOf(name: string, address: string): string {
  return name === '' || name === address || address === ''
    ? name || address
    : `${name} <${address}>`
}

/** The first form of the body that has words: plain text, HTML, RTF. */
function bodiesOf({ body = '', bodyHtml = '', compressedRtf }: FieldsData, limits: ExtractLimits) {
  if (body.trim() !== '') return [() => textBody('body.txt', body, limits)]
  if (bodyHtml !== '') return [() => textBody('body.html', bodyHtml, limits)]
  if (!compressedRtf) return []
  return [() => extractRtf(Buffer.from(decompressRTF([...compressedRtf])), limits)]
}

function textBody(filename: string, text: string, limits: ExtractLimits) {
  return textDocument({ filename, mime_type: '' }, { text }, limits)
}

/** The ending of a name that is no picture. */
const document_name = /\.(?!png$|jpe?g$|gif$|bmp$|tiff?$|webp$|[ew]mf$)\w+$/i

/** A picture that the HTML shows in its place. */
function isShown(attachment: FieldsData, shown: ReadonlySet<string>): boolean {
  const { attachmentHidden, pidContentId = '', fileName = '' } = attachment
  if (document_name.test(fileName)) return false
  return attachmentHidden === true || shown.has(pidContentId)
}

function isFile({ innerMsgContent, dataId }: FieldsData): boolean {
  return innerMsgContent === true || dataId !== undefined
}

function nameOf(attachment: FieldsData, number: number): string {
  const { fileName, fileNameShort, name, extension = '', innerMsgContent } = attachment
  const known = fileName ?? fileNameShort ?? name ?? `${number}${extension}`
  return innerMsgContent ? `${known}.msg` : known
}
