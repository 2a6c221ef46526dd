import type { Mark } from '../places.ts'

/** A part of a text in one unit and below one heading. */
export interface TextSection {
  from: number
  to: number
  unit: string
  /** From the outside. */
  headings: readonly string[]
}

/**
 * Cuts a text where a unit or a heading begins. A heading with no text below it stays with the one
 * that follows.
 */
export function* sectionsOf(text: string, marks: readonly Mark[]): Generator<TextSection> {
  let open: TextSection = { from: 0, to: text.length, unit: '', headings: [] }
  const above: { level: number; heading: string }[] = []
  /** Behind the heading of the open section. */
  let body = 0
  for (const mark of marks) {
    if ('row' in mark) continue
    if (/\S/.test(text.slice(body, mark.at))) {
      yield { ...open, to: mark.at }
      open = { ...open, from: mark.at }
    }
    body = mark.at
    if ('unit' in mark) {
      above.length = 0
      open = { ...open, unit: mark.unit, headings: [] }
      continue
    }
    while (above.length > 0 && above.at(-1)!.level >= mark.level) above.pop()
    above.push(mark)
    open = { ...open, headings: above.map(({ heading }) => heading) }
    body = text.indexOf('\n', mark.at)
    if (body < 0) body = text.length
  }
  yield open
}

/** Numbers of the rows of a table, by places in the text that are asked for in their order. */
export class RowNumbers {
  readonly #text: string
  readonly #marks: readonly { at: number; row: number }[]
  #next = 0
  #at = 0
  /** 0 before the first mark. */
  #row = 0

  constructor(text: string, marks: readonly Mark[]) {
    this.#text = text
    this.#marks = marks.filter((mark) => 'row' in mark)
  }

  /** The number of the row that begins at this place; 0 if rows there have none. */
  at(place: number): number {
    let mark = this.#marks[this.#next]
    while (mark && mark.at <= place) {
      this.#at = mark.at
      this.#row = mark.row
      mark = this.#marks[++this.#next]
    }
    if (this.#row === 0) return 0
    // A row is a line.
    for (let end = this.#text.indexOf('\n', this.#at); end >= 0 && end < place; ) {
      this.#row++
      this.#at = end + 1
      end = this.#text.indexOf('\n', this.#at)
    }
    return this.#row
  }
}
