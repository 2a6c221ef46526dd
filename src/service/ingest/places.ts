/**
 * A place in the text of a document where a page, slide, sheet or part begins, a heading, or the
 * rows of a table. Each has the position of its first character.
 */
export type Mark =
  | { at: number; unit: string }
  | { at: number; level: number; heading: string }
  | { at: number; row: number }

/** UTF-16 units. A longer line below a style of headings is a paragraph. */
const max_heading_length = 200
/** So that a hostile file does not keep more marks than text. */
const max_marks = 200_000

/** Collects the marks of a document while it is read. */
export class Places {
  readonly marks: Mark[] = []
  #next_row = 0

  /** Begins a unit, which has no headings above it but its own. */
  beginUnit(at: number, unit: string): void {
    this.#next_row = 0
    this.#add({ at, unit })
  }

  noteHeading(at: number, level: number, words: string): void {
    const heading = words.replace(/\s+/g, ' ').trim()
    if (heading === '' || heading.length > max_heading_length) return
    this.#add({ at, level, heading })
  }

  /** Notes the number of a row, from 1. Rows that follow one another in lines need no mark. */
  noteRow(at: number, row: number): void {
    if (row !== this.#next_row) this.#add({ at, row })
    this.#next_row = row + 1
  }

  /** Adds the marks of a document that this one holds, from this position on, under its name. */
  addInner(from: number, name: string, marks: readonly Mark[] = []): void {
    for (const mark of marks) {
      const at = mark.at + from
      this.#add('unit' in mark ? { at, unit: `${name}, ${mark.unit}` } : { ...mark, at })
    }
    this.#next_row = 0
  }

  #add(mark: Mark): void {
    if (this.marks.length < max_marks) this.marks.push(mark)
  }
}
