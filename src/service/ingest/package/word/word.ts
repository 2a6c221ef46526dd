import type { DocumentText, ReadDocument } from '../../document-text.ts'
import { unreadable, unreadableOf } from '../../extract-limits.ts'
import { FlowText } from '../../text/flow-text.ts'
import type { Archive } from '../archive.ts'
import { addGraphics } from '../drawing.ts'
import { type Faults, readOptional } from '../optional-part.ts'
import { mediaTypes, partsOfKind, partsOfMain, type Relationship } from '../relationships.ts'
import { walkXml } from '../xml.ts'
import { readLists } from './lists.ts'
import { Numbering } from './numbering.ts'
import { pageArea, usual_page_emu2 } from './page-area.ts'
import { readParagraphStyles } from './paragraph-styles.ts'
import { WordFlow, type WordSources } from './word-flow.ts'

/** Reads a document that another one holds. */
export type ReadInner = (
  bytes: Buffer,
  filename: string,
  media_type: string,
) => Promise<ReadDocument>

/** Adds the headers, the body, the notes, comments and footers of a Word document. */
export async function extractWordDocument(
  archive: Archive,
  main: string,
  text: DocumentText,
  readInner: ReadInner,
): Promise<void> {
  const related = await partsOfMain(archive, main, text)
  const word = new WordParts(archive, related, text)
  text.begin()
  const sources: WordSources = {
    numbering: await word.numbering(),
    chunks: await chunksOf(archive, related, text, readInner),
    marks: { footnote: new Map(), endnote: new Map() },
    quotes: new Map(),
  }
  await word.addMargins('header', sources)
  const has_pictures = related.some(({ kind }) => kind === 'image')
  const page_emu2 = has_pictures ? await pageArea(archive, main) : usual_page_emu2
  await walkXml(archive, main, new WordFlow(text, sources, page_emu2))
  for (const kind of ['footnotes', 'endnotes', 'comments']) await word.addParts(kind, sources)
  await word.addMargins('footer', sources)
  await addGraphics(archive, related, text, word)
}

/** The parts of a Word document beside its body. A broken one is a remark. */
class WordParts {
  readonly #archive: Archive
  readonly #related: readonly Relationship[]
  readonly #text: DocumentText

  constructor(archive: Archive, related: readonly Relationship[], text: DocumentText) {
    this.#archive = archive
    this.#related = related
    this.#text = text
  }

  async numbering(): Promise<Numbering> {
    const lists = await this.#read('numbering', readLists)
    // Styles are needed for their lists alone, and are often longer than the document.
    const styles = lists && (await this.#read('styles', readParagraphStyles))
    return new Numbering(lists ?? new Map(), styles ?? new Map())
  }

  addParts(kind: string, sources: WordSources): Promise<void> {
    return this.#forEach(kind, (part) => this.#add(part, this.#text, sources))
  }

  /** Adds headers or footers. First, even and other pages often have the same one. */
  async addMargins(kind: string, sources: WordSources): Promise<void> {
    const texts = new Set<string>()
    await this.#forEach(kind, async (part) => {
      const margin = this.#text.apart()
      try {
        await this.#add(part, margin, sources)
      } finally {
        texts.add(margin.text)
      }
    })
    const flow = new FlowText(this.#text)
    for (const words of texts) {
      // Signs alone are no header, such as those around the number of a page.
      if (/[\p{L}\p{N}]/u.test(words)) flow.add(words)
      flow.break(2)
    }
  }

  async #add(part: string, text: DocumentText, sources: WordSources): Promise<void> {
    await walkXml(this.#archive, part, new WordFlow(text, sources))
  }

  /** Notes a part that is broken as one of its own. */
  noteFault(fault: string): void {
    this.#text.begin()
    this.#text.noteFault(fault)
    this.#text.begin()
  }

  async #read<T>(kind: string, read: (archive: Archive, part: string) => Promise<T>) {
    let found: T | undefined
    await this.#forEach(kind, async (part) => {
      found = await read(this.#archive, part)
    })
    return found
  }

  async #forEach(kind: string, read: (part: string) => Promise<void>): Promise<void> {
    await readOptional(this.#archive, partsOfKind(this.#related, kind), this, read)
  }
}

/** A page in the format of mail is readable only after it is decoded. */
const mail_start = /^MIME-Version:/im
const mail_start_bytes = 1_024

/** The documents that a document holds (`altChunk`), by id. */
async function chunksOf(
  archive: Archive,
  related: readonly Relationship[],
  faults: Faults,
  readInner: ReadInner,
): Promise<ReadonlyMap<string, ReadDocument | string>> {
  const chunks = new Map<string, ReadDocument | string>()
  const named = related.filter(({ kind }) => kind === 'aFChunk')
  if (named.length === 0) return chunks
  const typeOf = await mediaTypes(archive, faults)
  for (const { id, part } of named) {
    try {
      const bytes = await archive.read(part)
      if (mail_start.test(bytes.toString('latin1', 0, mail_start_bytes)))
        throw unreadable('a page in the format of mail (MHT)')
      chunks.set(id, await readInner(bytes, part, typeOf(part)))
    } catch (error) {
      chunks.set(id, `cannot be read (${part}: ${unreadableOf(error).unreadable})`)
    }
  }
  return chunks
}
