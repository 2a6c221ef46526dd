import { TextDecoder } from 'node:util'
import sax from 'sax'
import { type GrowingText, unreadable } from './extract-limits.ts'

/** Of one attribute or comment. sax's own limit, 64 KB, refuses documents of Word that keep a picture in an attribute (gfxdata). */
Object.assign(sax, { MAX_BUFFER_LENGTH: 16 * 1024 * 1024 })

export interface XmlListener {
  /** Names without their prefix. */
  open?(name: string, attributes: Record<string, string>): void
  text?(text: string): void
  close?(name: string): void
}

/**
 * Reads XML from left to right. It expands no entity but the five of XML itself: a document that declares others is refused, so
 * that none can grow out of a few lines.
 */
export async function walkXml(chunks: AsyncIterable<Buffer>, listener: XmlListener): Promise<void> {
  const parser = sax.parser(true)
  parser.onerror = (error) => {
    throw unreadable(`broken: XML, ${error.message.replace(/\s+/g, ' ')}`)
  }
  parser.ondoctype = (doctype) => {
    if (/<!ENTITY/i.test(doctype)) throw unreadable('broken: XML that declares entities')
  }
  parser.onopentag = ({ name, attributes }) => listener.open?.(localOf(name), localNames(attributes))
  parser.ontext = (text) => listener.text?.(text)
  parser.oncdata = (text) => listener.text?.(text)
  parser.onclosetag = (name) => listener.close?.(localOf(name))
  let decoder: TextDecoder | undefined
  for await (const chunk of chunks) {
    decoder ??= new TextDecoder(charsetOf(chunk), { fatal: true })
    parser.write(decoder.decode(chunk, { stream: true }))
  }
  parser.write(decoder?.decode() ?? '').close()
}

/** XML is UTF-8 unless it begins with a mark of UTF-16 or says otherwise in its first line. */
function charsetOf(chunk: Buffer): string {
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
  if (chunk[0] === 0xfe && chunk[1] === 0xff) return 'utf-16be'
  const said = /^<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w-]+)/.exec(chunk.toString('latin1', 0, 200))?.[1]
  // Where that line can be read byte by byte, it is not UTF-16.
  return said === undefined || /^utf-?16/i.test(said) ? 'utf-8' : said
}

/** All of it at once, for what is read more loosely than XML. */
export function decodeXml(bytes: Buffer): string {
  return new TextDecoder(charsetOf(bytes)).decode(bytes)
}

function localOf(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function localNames(attributes: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(Object.entries(attributes).map(([name, value]) => [localOf(name), String(value)]))
}

/** How the text of one XML format is found. All names are without prefix. */
export interface TextRules {
  /** Elements whose characters are text for reading. */
  text_in: ReadonlySet<string>
  /** Elements that are passed over with everything in them. */
  skip: ReadonlySet<string>
  /** Written where an element opens, and where it closes. */
  opens: Readonly<Record<string, string>>
  closes: Readonly<Record<string, string>>
  /** Elements in which everything stays on one line: the cells of a table, which are told apart by a tab. */
  cell: string
}

export async function gatherText(
  chunks: AsyncIterable<Buffer>,
  { text_in, skip, opens, closes, cell }: TextRules,
  text: GrowingText,
): Promise<void> {
  const depth = { text: 0, skip: 0, cell: 0 }
  // The names of elements are the file's own: `constructor` must find nothing.
  const write = (marks: Readonly<Record<string, string>>, name: string) => {
    if (Object.hasOwn(marks, name)) text.add(depth.cell > 0 ? ' ' : marks[name]!)
  }
  await walkXml(chunks, {
    open(name) {
      if (skip.has(name)) depth.skip++
      if (depth.skip > 0) return
      if (text_in.has(name)) depth.text++
      if (name === cell) depth.cell++
      write(opens, name)
    },
    text(piece) {
      if (depth.skip === 0 && depth.text > 0) text.add(piece)
    },
    close(name) {
      if (depth.skip === 0) {
        if (text_in.has(name)) depth.text--
        write(closes, name)
        if (name === cell && --depth.cell === 0) text.add('\t')
      }
      if (skip.has(name)) depth.skip--
    },
  })
}
