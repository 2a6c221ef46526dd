import { type Level, numberText } from '../number-format.ts'
import type { XmlAttributes } from '../xml.ts'

/** The name of the style of headings, which has none. */
const outline = '\u0000outline'

/** Counts the items of lists and the headings, as programs show them (ODF 1.3 part 3, 5.3). */
export class OpenLists {
  readonly #styles = new Map<string, Level[]>()
  #style: Level[] = []
  /** The styles of the open lists, from the outside. */
  readonly #open: string[] = []
  /** The present number of each list that is open. */
  readonly #items: (number | undefined)[] = []
  readonly #headings: (number | undefined)[] = []
  /** The last number of each style and level, for lists that go on. */
  readonly #last = new Map<string, number | undefined>()
  #item = ''

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'list-style' || name === 'outline-style') {
      this.#style = []
      this.#styles.set(name === 'outline-style' ? outline : (attributes.name ?? ''), this.#style)
    } else if (name === 'list-level-style-number' || name === 'outline-level-style') {
      this.#style[Number(attributes.level) - 1] = levelOf(attributes, this.#style)
    } else if (name === 'list') {
      this.#openList(attributes)
    } else if (name === 'list-item') {
      const at = this.#open.length - 1
      const style = this.#open[at] ?? ''
      this.#item = this.#count(style, this.#items, at, Number(attributes['start-value']))
      this.#last.set(`${at} ${style}`, this.#items[at])
    }
  }

  close(name: string): void {
    if (name === 'list-item') this.#item = ''
    if (name === 'list') this.#open.pop()
  }

  /** The number before a paragraph or a heading that opens; empty without one. */
  numberOf(name: string, attributes: XmlAttributes): string {
    if (this.#open.length > 0) {
      const number = this.#item
      this.#item = ''
      return number
    }
    if (name !== 'h' || attributes['is-list-header'] === 'true') return ''
    const at = Number(attributes['outline-level'] ?? 1) - 1
    return this.#count(outline, this.#headings, at)
  }

  #openList(attributes: XmlAttributes): void {
    const at = this.#open.length
    const style = attributes['style-name'] ?? this.#open.at(-1) ?? ''
    const goes_on = attributes['continue-numbering'] === 'true' || 'continue-list' in attributes
    this.#open.push(style)
    this.#items[at] = goes_on ? this.#last.get(`${at} ${style}`) : undefined
  }

  /** Counts one at a level, and begins the levels below anew. `start`: its number, if it has one. */
  #count(style: string, counts: (number | undefined)[], at: number, start = 0): string {
    const levels = this.#styles.get(style) ?? []
    const level = levels[at]
    const next = (counts[at] ?? (level?.start ?? 1) - 1) + 1
    counts.length = at
    counts[at] = start > 0 ? start : next
    const number = level ? numberText(level, levels, counts) : ''
    return number === '' ? '' : `${number} `
  }
}

/** ODF names a format by its first number; the other names are those of Word. */
const formats: Readonly<Record<string, string>> = {
  1: 'decimal',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}

/** `above`: the levels above, whose numbers it may show, as in `3.1`. */
function levelOf(attributes: XmlAttributes, above: readonly Level[]): Level {
  const depth = Number(attributes.level)
  const first = depth - Number(attributes['display-levels'] ?? 1)
  const numbers = above.map(({ format }, at) => (at >= first && format !== 'none' ? at + 1 : 0))
  const shown = [...numbers.slice(0, depth - 1), depth].filter((number) => number > 0)
  const {
    'num-format': format = '',
    'num-prefix': prefix = '',
    'num-suffix': suffix = '',
  } = attributes
  return {
    start: Number(attributes['start-value'] ?? 1),
    format: format === '' ? 'none' : (formats[format] ?? 'decimal'),
    pattern: format === '' ? '' : `${prefix}${shown.map((at) => `%${at}`).join('.')}${suffix}`,
  }
}
