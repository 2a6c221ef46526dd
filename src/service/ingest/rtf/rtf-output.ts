import type { DocumentText } from '../document-text.ts'
import { TableText } from '../table-text.ts'

export type Apart = 'header' | 'note' | 'comment' | 'box' | 'author'

/** Puts the text of an RTF file into a document: paragraphs, tables, and what stands apart. */
export class RtfOutput {
  readonly #text: DocumentText
  /** The paragraph or cell so far. */
  #piece = ''
  /** Of cells or rows of a table in the cell, before the next words. */
  #separator = ''
  #table: TableText | undefined
  #column = 0
  /** What was begun before each group that stands apart. */
  readonly #outer: string[] = []
  readonly #headers = new Set<string>()
  readonly #notes: { label: string; words: string }[] = []
  #author = ''

  constructor(text: DocumentText) {
    this.#text = text
  }

  write(words: string): void {
    this.#piece += this.#separator + words
    this.#separator = ''
  }

  /** Ends a cell (`, `) or row (`; `) of a table in a cell. */
  endInner(separator: ', ' | '; '): void {
    if (this.#piece.trim() !== '') this.#separator = separator
  }

  endParagraph(is_in_table: boolean): void {
    this.#piece += '\n\n'
    if (!is_in_table && this.#outer.length === 0) this.#endPiece()
  }

  endCell(): void {
    if (this.#outer.length > 0) {
      this.#piece += '\t'
      return
    }
    this.#table ??= new TableText(this.#text)
    this.#table.put(this.#column++, this.#piece)
    this.#piece = ''
    this.#separator = ''
  }

  endRow(): void {
    if (this.#outer.length > 0) {
      this.#piece += '\n'
      return
    }
    this.#table?.endRow()
    this.#column = 0
  }

  beginApart(): void {
    this.#outer.push(this.#piece)
    this.#piece = ''
  }

  endApart(kind: Apart): void {
    const words = this.#piece.trim()
    this.#piece = this.#outer.pop() ?? ''
    if (kind === 'author') this.#author = words
    if (kind === 'author' || words === '') return
    if (kind === 'note' || kind === 'comment') {
      const label = kind === 'comment' && this.#author !== '' ? `${this.#author}: ` : ''
      this.#notes.push({ label, words })
      return
    }
    if (kind === 'header' && this.#headers.has(words)) return
    if (kind === 'header') this.#headers.add(words)
    const before = /(^|\n)$/.test(this.#piece) ? '' : '\n'
    this.#piece += `${before}${words}\n`
  }

  end(): void {
    this.#endPiece()
    for (const { label, words } of this.#notes) {
      this.#text.addLabel(`\n\n${label}`)
      this.#text.add(words)
    }
  }

  #endPiece(): void {
    this.#table?.end()
    this.#table = undefined
    this.#column = 0
    this.#text.add(this.#piece)
    this.#piece = ''
  }
}
