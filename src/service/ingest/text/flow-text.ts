import type { DocumentText } from '../document-text.ts'
import { FlowOutput } from './flow-output.ts'
import { FlowTables } from './flow-tables.ts'

/**
 * Writes running text with tables in it. Readers say where paragraphs, tables, rows and cells begin
 * and end, also in a wrong order: text outside of a cell stands before its row.
 */
export class FlowText {
  readonly tables: FlowTables
  readonly #output: FlowOutput

  constructor(text: DocumentText) {
    this.#output = new FlowOutput(text)
    this.tables = new FlowTables(this.#output)
  }

  get has_open_line(): boolean {
    return this.#output.flow.has_words
  }

  add(words: string): void {
    this.#output.add(words)
  }

  /** Adds words of a file in which white space only parts them. */
  addWords(piece: string): void {
    const words = piece.replace(/\s+/g, ' ')
    this.add(this.#output.flow.ends_blank ? words.trimStart() : words)
  }

  /** Adds words before those of the open paragraph. */
  addBefore(words: string): void {
    this.#output.addBefore(words)
  }

  /** Says that the open paragraph is a heading, of level 1 or below. */
  beginHeading(level: number): void {
    this.#output.flow.level = level
  }

  /** Ends a paragraph, with `gap` line ends before the next one. */
  break(gap: 1 | 2): void {
    this.#output.break(gap)
  }

  /** Adds a text that is found, but no word of the document's own. */
  addLabel(words: string): void {
    this.break(2)
    if (words !== '') this.#output.writeAside(words, [])
  }

  /** Adds such a text behind the open paragraph or table. */
  addLabelApart(label: string): void {
    this.#output.keepAside(label, [])
  }

  /**
   * Begins a note or a text box. A note stands behind the paragraph or the table that it is in, and
   * so does a box in a sentence.
   */
  beginAside(label: string, is_apart = this.has_open_line): void {
    this.#output.beginAside(label, is_apart)
  }

  endAside(): void {
    if (!this.#output.is_in_aside) return
    this.tables.endAll()
    this.#output.endAside()
  }

  end(): void {
    while (this.#output.is_in_aside) this.endAside()
    this.tables.endAll()
  }
}
