import { buffer } from 'node:stream/consumers'
import { type MimeNode, Splitter } from '@zone-eu/mailsplit'
import libmime from 'libmime'
import { codeOf, messageOf } from '../../../base/run/errors.ts'
import { unreadable } from '../extract-limits.ts'

/** A digest of a busy list has some hundreds of parts. Each one costs memory and a stream. */
const max_parts = 1_000
/** Of the headers of one part. A mail to all has some thousand names. */
const max_head_bytes = 1_048_576
/** The library counts a shorter line as 64 bytes. */
const max_head_lines = max_head_bytes / 64

/** A part of a mail, decoded. */
export interface MailPart {
  /** The media type, such as `text/plain`. */
  type: string
  /** The kind of a part with parts, such as `alternative`; empty for a part without parts. */
  multipart: string
  /** Empty for none. */
  filename: string
  charset: string | undefined
  is_attachment: boolean
  /** By which HTML refers to it; empty for none. */
  id: string
  /** The address of a part of a saved page; empty for none. */
  location: string
  /** Lines that end in a blank go on in the next line, after this (RFC 3676). */
  line_join: string | undefined
  /** Decoded words of the header; empty if it is missing. */
  header: (name: string) => string
  bytes: Buffer
  parts: MailPart[]
}

/** Splits a mail into its parts, and decodes each. Mail in mail stays one part. */
export async function mailParts(mail: Buffer): Promise<MailPart> {
  const pieces = await splitMail(mail)
  const parts = new Map<MimeNode, MailPart>()
  for (const [node, found] of pieces) {
    const part = { ...partOf(node), bytes: await decoded(node, found), parts: [] }
    parts.set(node, part)
    if (node.parentNode) parts.get(node.parentNode)?.parts.push(part)
  }
  const [root] = parts.values()
  if (root === undefined) throw unreadable('it has no headers of mail')
  return root
}

/** The bodies of all parts in the order of the mail, as they are sent. */
async function splitMail(mail: Buffer): Promise<ReadonlyMap<MimeNode, Buffer[]>> {
  const splitter = new Splitter({
    ignoreEmbedded: true,
    maxChildNodes: max_parts,
    maxHeadSize: max_head_bytes,
  })
  const pieces = new Map<MimeNode, Buffer[]>()
  splitter.end(mail)
  try {
    for await (const found of splitter) {
      if (found.type === 'node') pieces.set(found, [])
      // A multipart without its parts, such as by a lost boundary, has its text there.
      else if (found.type === 'body' || found.node.multipart)
        pieces.get(found.node)?.push(found.value)
    }
  } catch (error) {
    if (codeOf(error) !== 'EMAXLEN') throw error
    const is_head = /header/.test(messageOf(error))
    throw unreadable(
      is_head
        ? `a mail with headers of more than ${max_head_bytes} bytes or ${max_head_lines} lines`
        : `a mail with more than ${max_parts} parts`,
    )
  }
  return pieces
}

async function decoded(node: MimeNode, pieces: readonly Buffer[]): Promise<Buffer> {
  const bytes = Buffer.concat(pieces)
  if (node.encoding !== 'base64' && node.encoding !== 'quoted-printable')
    return Buffer.concat([linesInHead(node), bytes])
  const is_text = /^text\//.test(node.contentType || 'text/plain')
  const end = is_text && node.encoding === 'base64' ? endOfBase64(bytes) : bytes.length
  const decoder = node.getDecoder()
  decoder.end(bytes.subarray(0, end))
  return Buffer.concat([await buffer(decoder), bytes.subarray(end)])
}

/** The body from its first line on, if no empty line stands before it. */
function linesInHead({ headers, multipart }: MimeNode): Buffer {
  const lines = (headers && !multipart && headers.getList()) || []
  const first = lines.findIndex(({ line }) => !/^[!-9;-~]+[ \t]*:/.test(line))
  const body = first < 0 ? [] : lines.slice(first).map(({ line }) => `${line}\n`)
  return Buffer.from(body.join(''), 'latin1')
}

/** Where base64 ends: servers of mailing lists add a line about themselves as it is. */
function endOfBase64(bytes: Buffer): number {
  const text = bytes.toString('latin1')
  const foreign = text.search(/[^A-Za-z0-9+/=\s]|\S[ \t]+\S/)
  return foreign < 0 ? bytes.length : text.lastIndexOf('\n', foreign) + 1
}

function partOf(node: MimeNode): Omit<MailPart, 'bytes' | 'parts'> {
  const header = (name: string) =>
    node.headers ? decodedWords(node.headers.getFirst(name).replace(/\s+/g, ' ')) : ''
  const is_in_digest = node.parentNode && node.parentNode.multipart === 'digest'
  const is_mail = is_in_digest && header('content-type') === ''
  return {
    type: is_mail ? 'message/rfc822' : node.contentType || 'text/plain',
    multipart: node.multipart || '',
    filename: node.filename || '',
    charset: node.charset || undefined,
    is_attachment: node.disposition === 'attachment',
    id: header('content-id').replace(/^<|>$/g, ''),
    location: header('content-location'),
    line_join: node.flowed ? (node.delSp ? '' : ' ') : undefined,
    header,
  }
}

/** The words of a header, of which those beyond ASCII are encoded. */
export function decodedWords(header: string): string {
  return libmime.decodeWords(header)
}
