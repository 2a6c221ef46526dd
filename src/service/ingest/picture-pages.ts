import type { ForPrograms, RecognisedPage } from '../store/picture-pages.ts'
import type { DocumentText, ReadDocument } from './document-text.ts'
import { unreadable } from './extract-limits.ts'
import { max_recognised } from './judge-units.ts'

/** The pages that were recognised so far, and whether more will be. */
export interface Recognition {
  done: readonly RecognisedPage[]
  /** False where programs are missing or switched off. */
  goes_on: boolean
  /** The number of the document in the file whose bytes a program needs. */
  wanted?: number
}

/** The pages of each document in a file have the numbers behind so many for each one before it. */
const pages_each = 1_000_000

/** Which document of a file has a page, 0 for the file itself, and which of its pages that is. */
export function placeOfPage(page: number): { document: number; page: number } {
  return { document: Math.floor(page / pages_each), page: page % pages_each }
}

/** What was found in a file and in all documents that it holds. */
class FoundInFile {
  documents = 0
  wanted: Buffer | undefined
  readonly pages: ForPrograms[] = []
}

/** Brings the words of recognised pages to a reader, and back what there is to recognise. */
export class PicturePages {
  readonly #recognition: Recognition
  readonly #file: FoundInFile
  /** The number of its document in the file; 0 for the file itself. */
  readonly #document: number

  constructor(
    recognition: Recognition = { done: [], goes_on: false },
    file = new FoundInFile(),
    document = 0,
  ) {
    this.#recognition = recognition
    this.#file = file
    this.#document = document
  }

  get is_inner(): boolean {
    return this.#document > 0
  }

  /**
   * For the next document that the file holds. Each reading finds them in the same order. Throws
   * once the wanted one is found, so that nothing more is read.
   */
  inner(bytes: Buffer): PicturePages {
    const document = ++this.#file.documents
    if (document === this.#recognition.wanted) this.#file.wanted = bytes
    if (this.#file.wanted) throw unreadable('it is not asked for')
    return new PicturePages(this.#recognition, this.#file, document)
  }

  /** How many more pages may be recognised. */
  get #max_more(): number {
    return Math.max(0, max_recognised - this.#recognition.done.length - this.#file.pages.length)
  }

  at(page: number): RecognisedPage | undefined {
    const number = this.#numberOf(page)
    return this.#recognition.done.find((one) => one.page === number)
  }

  /** Ends the text of a document, and notes which of its pages are still to be recognised. */
  end(kind: ForPrograms['kind'], text: DocumentText): ReadDocument {
    try {
      return text.end(this.#recognition.goes_on ? this.#max_more : undefined)
    } finally {
      this.note(kind, text.pictures)
    }
  }

  note(kind: ForPrograms['kind'], pages: readonly number[]): void {
    for (const page of pages.slice(0, this.#max_more))
      this.#file.pages.push({ kind, page: this.#numberOf(page) })
  }

  /** Fields for the answer of the reader. */
  get found(): { for_programs?: readonly ForPrograms[]; wanted?: Buffer } {
    const { pages, wanted } = this.#file
    return { ...(pages.length > 0 && { for_programs: pages }), ...(wanted && { wanted }) }
  }

  #numberOf(page: number): number {
    return this.#document * pages_each + page
  }
}
