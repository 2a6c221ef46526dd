import { TextDecoder } from 'node:util'
import sax from 'sax'
import type { DocumentText } from '../document-text.ts'
import { unreadable } from '../extract-limits.ts'

/**
 * The most characters of one attribute or comment. The default of the library sax, 64 KB, refuses
 * Word documents that keep a picture in an attribute (gfxdata).
 */
Object.assign(sax, { MAX_BUFFER_LENGTH: 16 * 1024 * 1024 })

export interface XmlListener {
  /**
   * Element and attribute names come without their namespace prefix. `written` has the attributes
   * with it, for the few elements where two would have one name.
   */
  open?(
    name: string,
    attributes: Record<string, string>,
    written: Readonly<Record<string, unknown>>,
  ): void
  text?(text: string): void
  close?(name: string): void
}

/**
 * Reads XML as a stream, and calls the listener for each element and text. It expands only the five
 * entities of XML itself, and refuses a document that declares others: a few lines could expand to
 * gigabytes.
 */
export async function walkXml(chunks: AsyncIterable<Buffer>, listener: XmlListener): Promise<void> {
  const parser = sax.parser(true)
  parser.onerror = (error) => {
    throw unreadable(`broken: XML, ${error.message.replace(/\s+/g, ' ')}`)
  }
  parser.ondoctype = (doctype) => {
    if (/<!ENTITY/i.test(doctype)) throw unreadable('broken: XML that declares entities')
  }
  parser.onopentag = ({ name, attributes }) =>
    listener.open?.(localOf(name), localNames(attributes), attributes)
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

/** UTF-8, unless the XML begins with a mark of UTF-16 or its first line names another charset. */
function charsetOf(chunk: Buffer): string {
  if (chunk[0] === 0xff && chunk[1] === 0xfe) return 'utf-16le'
  if (chunk[0] === 0xfe && chunk[1] === 0xff) return 'utf-16be'
  const said = /^<\?xml[^>]{0,100}?encoding\s*=\s*["']([\w-]+)/.exec(
    chunk.toString('latin1', 0, 200),
  )?.[1]
  // If this line is readable byte by byte, the file is not UTF-16.
  return said === undefined || /^utf-?16/i.test(said) ? 'utf-8' : said
}

/** Decodes a whole part of XML. Invalid bytes are replaced: the HTML reader is not strict. */
export function decodeXml(bytes: Buffer): string {
  return new TextDecoder(charsetOf(bytes)).decode(bytes)
}

function localOf(name: string): string {
  return name.slice(name.indexOf(':') + 1)
}

function localNames(attributes: Record<string, unknown>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(attributes).map(([name, value]) => [localOf(name), String(value)]),
  )
}

/** Rules to find the text in one XML format. All names are without prefix. */
export interface TextRules {
  /** Elements that contain readable text. */
  text_in: ReadonlySet<string>
  /** Elements that are skipped with their content. */
  skip: ReadonlySet<string>
  /** The texts to write where an element opens and where it closes. */
  opens: Readonly<Record<string, string>>
  closes: Readonly<Record<string, string>>
  /** The cell of a table: its text stays on one line and ends with a tab. */
  cell: string
}

export async function gatherText(
  chunks: AsyncIterable<Buffer>,
  { text_in, skip, opens, closes, cell }: TextRules,
  text: DocumentText,
): Promise<void> {
  const depth = { text: 0, skip: 0, cell: 0 }
  // A file can name an element `constructor`, so inherited properties must not count.
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
