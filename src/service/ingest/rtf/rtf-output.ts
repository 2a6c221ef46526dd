import type { DocumentText } from '../document-text.ts'
import { TableText } from '../table-text.ts'
import { RtfColumns } from './rtf-columns.ts'

export type Apart = 'header' | 'note' | 'comment' | 'box' | 'author'

/** A text that grows. Reading in it costs a copy, so what matters of it is kept apart. */
interface Piece {
  text: string
  has_words: boolean
  ends_line: boolean
}

const empty: Piece = { text: '', has_words: false, ends_line: true }

/** Puts the text of an RTF file into a document: paragraphs, tables, and what stands apart. */
export class RtfOutput {
  readonly #text: DocumentText
  /** The paragraph or cell so far. */
  #piece = { ...empty }
  /** Of cells or rows of a table in the cell, before the next words. */
  #separator = ''
  #table: TableText | undefined
  #columns = new RtfColumns()
  /** What was begun before each group that stands apart. */
  readonly #outer: Piece[] = []
  readonly #headers = new Set<string>()
  readonly #notes: { label: string; words: string }[] = []
  #author = ''

  constructor(text: DocumentText) {
    this.#text = text
  }

  /** How many groups that stand apart are open. */
  get depth(): number {
    return this.#outer.length
  }

  write(words: string): void {
    this.#add(this.#separator + words)
    this.#separator = ''
  }

  /** Begins the definition of a row, which has the right edges of its cells. */
  beginRow(): void {
    if (!this.#is_in_cell) this.#columns.beginRow()
  }

  addEdge(twips: number): void {
    if (!this.#is_in_cell) this.#columns.addEdge(twips)
  }

  /** A table in the first cell has edges of its own. */
  get #is_in_cell(): boolean {
    return this.#outer.length > 0 || this.#piece.has_words
  }

  /** Ends a cell (`, `) or row (`; `) of a table in a cell. */
  endInner(separator: ', ' | '; '): void {
    if (this.#piece.has_words) this.#separator = separator
  }

  endParagraph(is_in_table: boolean): void {
    this.#add('\n\n')
    if (!is_in_table && this.#outer.length === 0) this.#endPiece()
  }

  endCell(): void {
    if (this.#outer.length > 0) {
      this.#add('\t')
      return
    }
    this.#table ??= new TableText(this.#text)
    this.#table.put(this.#columns.next(), this.#piece.text)
    this.#piece = { ...empty }
    this.#separator = ''
  }

  endRow(): void {
    if (this.#outer.length > 0) {
      this.#add('\n')
      return
    }
    this.#table?.endRow()
    this.#columns.endRow()
  }

  beginApart(): void {
    this.#outer.push(this.#piece)
    this.#piece = { ...empty }
  }

  endApart(kind: Apart): void {
    const words = this.#piece.text.trim()
    this.#piece = this.#outer.pop() ?? { ...empty }
    if (kind === 'author') this.#author = words
    if (kind === 'author' || words === '') return
    if (kind === 'note' || kind === 'comment') {
      const label = kind === 'comment' && this.#author !== '' ? `${this.#author}: ` : ''
      this.#notes.push({ label, words })
      return
    }
    if (kind === 'header' && this.#headers.has(words)) return
    if (kind === 'header') this.#headers.add(words)
    this.#add(`${this.#piece.ends_line ? '' : '\n'}${words}\n`)
  }

  end(): void {
    this.#endPiece()
    for (const { label, words } of this.#notes) {
      this.#text.addLabel(`\n\n${label}`)
      this.#text.add(words)
    }
  }

  #add(words: string): void {
    if (words === '') return
    this.#piece.text += words
    this.#piece.has_words ||= /\S/.test(words)
    this.#piece.ends_line = words.endsWith('\n')
  }

  #endPiece(): void {
    this.#table?.end()
    if (this.#table) this.#columns = new RtfColumns()
    this.#table = undefined
    this.#text.add(this.#piece.text)
    this.#piece = { ...empty }
  }
}
