import type { DocumentText, ReadDocument, RecognisedPage } from './document-text.ts'
import { max_recognised } from './judge-units.ts'

/** Work for programs of this machine: tesseract reads pages, soffice converts a whole file. */
export interface ForPrograms {
  kind: 'pdf' | 'picture' | 'xls' | 'ppt'
  /** Counted from 1; a file that is converted is one page. */
  pages: readonly number[]
}

/** The pages that were recognised so far, and whether more will be. */
export interface Recognition {
  done: readonly RecognisedPage[]
  /** False where programs are missing or switched off. */
  goes_on: boolean
}

/** Brings the words of recognised pages to a reader, and back what there is to recognise. */
export class PicturePages {
  readonly #done: ReadonlyMap<number, RecognisedPage>
  readonly #goes_on: boolean
  #found: ForPrograms | undefined

  constructor({ done, goes_on }: Recognition = { done: [], goes_on: false }) {
    this.#done = new Map(done.map((one) => [one.page, one]))
    this.#goes_on = goes_on
  }

  /** How many more pages may be recognised. */
  get #max_more(): number {
    return Math.max(0, max_recognised - this.#done.size)
  }

  get has_begun(): boolean {
    return this.#done.size > 0
  }

  at(page: number): RecognisedPage | undefined {
    return this.#done.get(page)
  }

  /** Ends the text of a document, and notes which of its pages are still to be recognised. */
  end(kind: ForPrograms['kind'], text: DocumentText): ReadDocument {
    try {
      return text.end(this.#goes_on ? this.#max_more : undefined)
    } finally {
      this.note(kind, text.pictures)
    }
  }

  note(kind: ForPrograms['kind'], pages: readonly number[]): void {
    this.#found = { kind, pages: pages.slice(0, this.#max_more) }
  }

  /** Fields for the answer of the reader. */
  get found(): { for_programs?: ForPrograms } {
    return this.#found && this.#found.pages.length > 0 ? { for_programs: this.#found } : {}
  }
}
