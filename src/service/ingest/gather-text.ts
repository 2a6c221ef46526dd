import { type ExtractLimits, tooMuchText } from './extract-limits.ts'
import { walkXml } from './extract-xml.ts'

/** How the text of one XML format is found. All names are without prefix. */
export interface TextRules {
  /** Elements whose characters are text for reading. */
  text_in: ReadonlySet<string>
  /** Elements that are passed over with everything in them. */
  skip: ReadonlySet<string>
  /** Written where an element opens, and where it closes. */
  opens: Readonly<Record<string, string>>
  closes: Readonly<Record<string, string>>
  /** Elements in which everything stays on one line: the cells of a table, which are told apart by a tab. */
  cell: string
}

/** Text as it grows, within its limit. */
export class GrowingText {
  readonly #parts: string[] = []
  readonly #limits: ExtractLimits
  #length = 0

  constructor(limits: ExtractLimits) {
    this.#limits = limits
  }

  add(text: string): void {
    this.#length += text.length
    if (this.#length > this.#limits.text_length) throw tooMuchText(this.#limits)
    this.#parts.push(text)
  }

  toString(): string {
    return this.#parts.join('')
  }
}

export async function gatherText(
  chunks: AsyncIterable<Buffer>,
  { text_in, skip, opens, closes, cell }: TextRules,
  text: GrowingText,
): Promise<void> {
  const depth = { text: 0, skip: 0, cell: 0 }
  // The names of elements are the file's own: `constructor` must find nothing.
  const write = (marks: Readonly<Record<string, string>>, name: string) => {
    if (Object.hasOwn(marks, name)) text.add(depth.cell > 0 ? ' ' : marks[name]!)
  }
  await walkXml(chunks, {
    open(name) {
      if (skip.has(name)) depth.skip++
      if (depth.skip > 0) return
      if (text_in.has(name)) depth.text++
      if (name === cell) depth.cell++
      write(opens, name)
    },
    text(piece) {
      if (depth.skip === 0 && depth.text > 0) text.add(piece)
    },
    close(name) {
      if (depth.skip === 0) {
        if (text_in.has(name)) depth.text--
        write(closes, name)
        if (name === cell && --depth.cell === 0) text.add('\t')
      }
      if (skip.has(name)) depth.skip--
    },
  })
}
