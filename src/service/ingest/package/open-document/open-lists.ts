import { formattedNumber } from '../number-format.ts'
import type { XmlAttributes } from '../xml.ts'

/** How one level of a list is numbered. */
interface Level {
  /** `1`, `a`, `A`, `i`, `I`; empty without a number. */
  format: string
  prefix: string
  suffix: string
  start: number
  /** Numbers that are shown: 2 for `3.1`. */
  shown: number
}

interface OpenList {
  style: string
  /** An item has begun. */
  number: number
}

/** The name of the style of headings, which has none. */
const outline = '\u0000outline'
const bullet: Level = { format: '', prefix: '', suffix: '', start: 1, shown: 1 }

/** Counts the items of lists and the headings, as programs show them (ODF 1.3 part 3, 5.3). */
export class OpenLists {
  readonly #styles = new Map<string, Level[]>()
  #style: Level[] = []
  readonly #open: OpenList[] = []
  /** The last number of each style and level, for lists that go on. */
  readonly #last = new Map<string, number>()
  #headings: number[] = []
  #item = ''

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'list-style' || name === 'outline-style') {
      this.#style = []
      this.#styles.set(name === 'outline-style' ? outline : (attributes.name ?? ''), this.#style)
    } else if (name === 'list-level-style-number' || name === 'outline-level-style') {
      this.#style[Number(attributes.level) - 1] = levelOf(attributes)
    } else if (name === 'list') {
      this.#openList(attributes)
    } else if (name === 'list-item') {
      this.#item = this.#numberOfItem(attributes)
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
    const depth = Number(attributes['outline-level'] ?? 1)
    const levels = this.#styles.get(outline) ?? []
    const { start } = levels[depth - 1] ?? bullet
    this.#headings = this.#headings.slice(0, depth)
    this.#headings[depth - 1] = (this.#headings[depth - 1] ?? start - 1) + 1
    return shownNumber(levels, this.#headings)
  }

  #openList(attributes: XmlAttributes): void {
    const depth = this.#open.length
    const style = attributes['style-name'] ?? this.#open.at(-1)?.style ?? ''
    const goes_on = attributes['continue-numbering'] === 'true' || 'continue-list' in attributes
    const last = goes_on ? this.#last.get(`${depth} ${style}`) : undefined
    const { start } = this.#styles.get(style)?.[depth] ?? bullet
    this.#open.push({ style, number: last ?? start - 1 })
  }

  #numberOfItem(attributes: XmlAttributes): string {
    const list = this.#open.at(-1)
    if (!list) return ''
    const start = Number(attributes['start-value'])
    list.number = start > 0 ? start : list.number + 1
    this.#last.set(`${this.#open.length - 1} ${list.style}`, list.number)
    const numbers = this.#open.map(({ number }) => number)
    return shownNumber(this.#styles.get(list.style) ?? [], numbers)
  }
}

function levelOf(attributes: XmlAttributes): Level {
  return {
    format: attributes['num-format'] ?? '',
    prefix: attributes['num-prefix'] ?? '',
    suffix: attributes['num-suffix'] ?? '',
    start: Number(attributes['start-value'] ?? 1),
    shown: Number(attributes['display-levels'] ?? 1),
  }
}

/** The number of the deepest level, behind those of the levels above it that are shown. */
function shownNumber(levels: readonly Level[], numbers: readonly number[]): string {
  const { format, prefix, suffix, shown } = levels[numbers.length - 1] ?? bullet
  if (format === '') return ''
  const texts = Array.from(numbers, (number, at) =>
    at >= numbers.length - shown ? numeral(number ?? 1, levels[at]?.format ?? '') : '',
  )
  return `${prefix}${texts.filter((text) => text !== '').join('.')}${suffix} `
}

/** ODF names a format by its first number; the other names are those of Word. */
const formats: Readonly<Record<string, string>> = {
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}

function numeral(number: number, format: string): string {
  return format === '' ? '' : formattedNumber(number, formats[format] ?? 'decimal')
}
