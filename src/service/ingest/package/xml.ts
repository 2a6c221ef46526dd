import { TextDecoder } from 'node:util'
import sax from 'sax'
import { broken } from '../extract-limits.ts'
import { charsetOfXml, utf16ByMark } from '../text/read-text.ts'
import type { Archive } from './archive.ts'

/**
 * The most characters of one attribute or comment. The default of the library sax, 64 KB, refuses
 * Word documents that keep a picture in an attribute (gfxdata).
 */
Object.assign(sax, { MAX_BUFFER_LENGTH: 16 * 1024 * 1024 })

export type XmlAttributes = Readonly<Record<string, string>>

/** Names come without the prefix of their namespace. */
export interface XmlListener {
  /** `parent`: the element around it. `false` leaves the element out, with all that is in it. */
  open?(name: string, attributes: XmlAttributes, parent: string): unknown
  /** `name`: the innermost element around the text. */
  text?(text: string, name: string): void
  close?(name: string, attributes: XmlAttributes): void
  /** Called once, also behind a part that is broken: what was read of it counts. */
  end?(): void
}

/**
 * Reads a part of XML as a stream, and calls the listener for each element and text. It expands
 * only the five entities of XML itself, and refuses a document that declares others: a few lines
 * could expand to gigabytes.
 */
export async function walkXml(
  archive: Archive,
  part: string,
  listener: XmlListener,
): Promise<void> {
  // Lines and columns cost time, and a user cannot look at the lines of a part in an archive.
  const parser = sax.parser(true, { position: false })
  const elements = new OpenElements(listener)
  parser.onerror = (error) => {
    throw broken(`XML, ${error.message.replace(/\s+/g, ' ')}`)
  }
  parser.ondoctype = (doctype) => {
    if (/<!ENTITY/i.test(doctype)) throw broken('XML that declares entities')
  }
  parser.onopentag = ({ name, attributes }) =>
    elements.open(localOf(name), localNames(attributes as Record<string, string>))
  parser.ontext = (text) => elements.text(text)
  parser.oncdata = (text) => elements.text(text)
  parser.onclosetag = () => elements.close()
  let decoder: TextDecoder | undefined
  try {
    for await (const chunk of archive.stream(part)) {
      decoder ??= new TextDecoder(charsetOf(chunk), { fatal: true })
      parser.write(decoder.decode(chunk, { stream: true }))
    }
    parser.write(decoder?.decode() ?? '').close()
  } finally {
    listener.end?.()
  }
}

/** Follows the open elements, and tells the listener of those that are not left out. */
class OpenElements {
  readonly #listener: XmlListener
  readonly #open: OpenElement[] = []
  /** The number of open elements at the one that is left out. */
  #left_out_at = 0

  constructor(listener: XmlListener) {
    this.#listener = listener
  }

  open(name: string, attributes: XmlAttributes): void {
    const parent = this.#open.at(-1)
    this.#open.push({ name, attributes, has_form: false })
    if (this.#left_out_at > 0) return
    // Programs write an element again in a form for older ones: of those that have something in
    // them, the first form counts.
    const alternatives = this.#open.at(-3)
    if (alternatives && isForm(parent?.name)) alternatives.has_form = true
    const is_passed = isForm(name) && (parent?.has_form || !this.#isKnown(attributes.Requires))
    if (is_passed || this.#listener.open?.(name, attributes, parent?.name ?? '') === false)
      this.#left_out_at = this.#open.length
  }

  /** False if a form needs a namespace of another program. `prefixes`: parted by blanks. */
  #isKnown(prefixes = ''): boolean {
    return prefixes.split(/\s+/).every((prefix) => {
      const declared = this.#open.findLast(({ attributes }) => Object.hasOwn(attributes, prefix))
      return declared === undefined || office_namespace.test(declared.attributes[prefix]!)
    })
  }

  text(text: string): void {
    if (this.#left_out_at === 0) this.#listener.text?.(text, this.#open.at(-1)?.name ?? '')
  }

  close(): void {
    const closed = this.#open.pop()
    if (this.#left_out_at > this.#open.length) this.#left_out_at = 0
    else if (this.#left_out_at === 0 && closed)
      this.#listener.close?.(closed.name, closed.attributes)
  }
}

interface OpenElement {
  name: string
  attributes: XmlAttributes
  /** One of the forms in it is read. */
  has_form: boolean
}

function isForm(name: string | undefined): boolean {
  return name === 'Choice' || name === 'Fallback'
}

/** Namespaces of Office: their elements are read, as far as they have words. */
const office_namespace = /schemas[.-](microsoft|openxmlformats)/

/** The character `<` in UTF-16, with which XML begins that has no mark (XML 1.0, appendix F). */
const utf16_begins = new Map([
  ['<\u0000', 'utf-16le'],
  ['\u0000<', 'utf-16be'],
])

/** UTF-8, unless the XML begins with a mark of UTF-16 or its first line names another charset. */
function charsetOf(chunk: Buffer): string {
  const marked = utf16ByMark(chunk) ?? utf16_begins.get(chunk.toString('latin1', 0, 2))
  if (marked !== undefined) return marked
  const said = charsetOfXml(chunk.toString('latin1', 0, 200))
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

/** Of two attributes with one name the one with a prefix counts, such as `r:id` beside `id`. */
function localNames(attributes: Record<string, string>): XmlAttributes {
  const written_names = Object.keys(attributes)
  if (!written_names.some((name) => name.includes(':'))) return attributes
  const named: Record<string, string> = {}
  for (const written of written_names) {
    const name = localOf(written)
    if (name !== written || !Object.hasOwn(named, name)) named[name] = attributes[written]!
  }
  return named
}
