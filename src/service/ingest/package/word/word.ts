import type { DocumentText, ReadDocument } from '../../document-text.ts'
import { unreadableOf } from '../../extract-limits.ts'
import type { ReadInner } from '../../inner-document.ts'
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
    ...(await word.stylesAndNumbering()),
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

  async stylesAndNumbering(): Promise<Pick<WordSources, 'styles' | 'numbering'>> {
    const lists = await this.#read('numbering', readLists)
    // Without lists, broken styles hide no word: only which paragraphs are headings.
    const faults = lists ? this : { noteFault() {} }
    const styles = (await this.#read('styles', readParagraphStyles, faults)) ?? new Map()
    return { styles, numbering: new Numbering(lists ?? new Map(), styles) }
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

  async #read<T>(
    kind: string,
    read: (archive: Archive, part: string) => Promise<T>,
    faults: Faults = this,
  ) {
    let found: T | undefined
    const readPart = async (part: string) => {
      found = await read(this.#archive, part)
    }
    await this.#forEach(kind, readPart, faults)
    return found
  }

  async #forEach(
    kind: string,
    read: (part: string) => Promise<void>,
    faults: Faults = this,
  ): Promise<void> {
    await readOptional(this.#archive, partsOfKind(this.#related, kind), faults, read)
  }
}

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
      chunks.set(id, await readInner({ bytes, filename: part, mime_type: typeOf(part) }))
    } catch (error) {
      chunks.set(id, `cannot be read (${part}: ${unreadableOf(error).unreadable})`)
    }
  }
  return chunks
}
