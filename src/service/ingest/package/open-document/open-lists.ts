import { type Level, LevelCounts } from '../list-numbers.ts'
import type { XmlAttributes } from '../xml.ts'

class ListStyle {
  readonly levels: Level[] = []
  readonly counts = new LevelCounts()
}

/** The name of the style of headings, which has none. */
const outline = '\u0000outline'

/** Counts the items of lists and the headings, as programs show them (ODF 1.3 part 3, 5.3). */
export class OpenLists {
  readonly #styles = new Map<string, ListStyle>()
  /** The style that is read. */
  #style = new ListStyle()
  /** The styles of the open lists, from the outside. */
  readonly #open: string[] = []
  #item = ''

  open(name: string, attributes: XmlAttributes): void {
    if (name === 'list-style' || name === 'outline-style') {
      this.#style = new ListStyle()
      this.#styles.set(name === 'outline-style' ? outline : (attributes.name ?? ''), this.#style)
    } else if (name === 'list-level-style-number' || name === 'outline-level-style') {
      const { levels } = this.#style
      levels[Number(attributes.level) - 1] = levelOf(attributes, levels)
    } else if (name === 'list') {
      const goes_on = attributes['continue-numbering'] === 'true' || 'continue-list' in attributes
      this.#open.push(attributes['style-name'] ?? this.#open.at(-1) ?? '')
      if (!goes_on) this.#present?.counts.begin(this.#open.length - 1)
    } else if (name === 'list-item') {
      startAnew(this.#present, this.#open.length - 1, attributes)
      this.#item = numberOf(this.#present, this.#open.length - 1)
    } else if (name === 'numbered-paragraph') {
      const style = this.#styles.get(attributes['style-name'] ?? '')
      const at = Number(attributes.level ?? 1) - 1
      startAnew(style, at, attributes)
      this.#item = numberOf(style, at)
    }
  }

  close(name: string): void {
    if (name === 'list-item' || name === 'numbered-paragraph') this.#item = ''
    if (name === 'list') this.#open.pop()
  }

  /** The number before a paragraph or a heading that opens; empty without one. */
  numberOf(name: string, attributes: XmlAttributes): string {
    if (this.#open.length > 0 || this.#item !== '') {
      const number = this.#item
      this.#item = ''
      return number
    }
    if (name !== 'h' || attributes['is-list-header'] === 'true') return ''
    const style = this.#styles.get(outline)
    const at = Number(attributes['outline-level'] ?? 1) - 1
    if (attributes['restart-numbering'] === 'true') {
      style?.counts.begin(at)
      startAnew(style, at, attributes)
    }
    return numberOf(style, at)
  }

  /** The style of the innermost list. */
  get #present(): ListStyle | undefined {
    return this.#styles.get(this.#open.at(-1) ?? '')
  }
}

/** Begins with the number that an item or a heading names, if it does. */
function startAnew(style: ListStyle | undefined, at: number, attributes: XmlAttributes): void {
  const start = Number(attributes['start-value'])
  if (start > 0) style?.counts.begin(at, start - 1)
}

function numberOf(style: ListStyle | undefined, at: number): string {
  const number = style?.counts.next(at, style.levels)
  return number ? `${number} ` : ''
}

/** ODF names a format by its first number; the other names are those of Word. */
const formats: Readonly<Record<string, string>> = {
  '': 'none',
  a: 'lowerLetter',
  A: 'upperLetter',
  i: 'lowerRoman',
  I: 'upperRoman',
}

/** `above`: the levels above, whose numbers it may show, as in `3.1`. */
function levelOf(attributes: XmlAttributes, above: readonly Level[]): Level {
  const depth = Number(attributes.level)
  const format = formats[attributes['num-format'] ?? ''] ?? 'decimal'
  const first = depth - Number(attributes['display-levels'] ?? 1)
  const numbers = above.map((level, at) =>
    at >= first && at < depth - 1 && level.format !== 'none' ? `%${at + 1}.` : '',
  )
  const { 'num-prefix': prefix = '', 'num-suffix': suffix = '' } = attributes
  return {
    start: Number(attributes['start-value'] ?? 1),
    format,
    pattern: format === 'none' ? '' : `${prefix}${numbers.join('')}%${depth}${suffix}`,
  }
}
