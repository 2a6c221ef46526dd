const latin = 'abcdefghijklmnopqrstuvwxyz'
const russian = 'абвгдежзиклмнопрстуфхцчшщыэюя'
/** Word shows `aa` for 27 and `bb` for 28; from this many letters on it shows digits. */
const max_repeats = 30
const max_roman = 32_767
/** The sign in a document is often one of a font of symbols. */
const bullet = '•'

const romans: readonly (readonly [value: number, letters: string])[] = [
  [1000, 'M'],
  [900, 'CM'],
  [500, 'D'],
  [400, 'CD'],
  [100, 'C'],
  [90, 'XC'],
  [50, 'L'],
  [40, 'XL'],
  [10, 'X'],
  [9, 'IX'],
  [5, 'V'],
  [4, 'IV'],
  [1, 'I'],
]

/** How one level of a list or of headings is numbered. */
export interface Level {
  start: number
  /** As ECMA-376, 17.18.59 names it; `none` without a number. */
  format: string
  /** Such as `%1.%2`. */
  pattern: string
  /** All numbers are shown as digits, as lawyers write them. */
  is_legal?: boolean
  /** The number of the level that begins this one anew, from 1; 0 for none. */
  restart?: number
}

/** Counts the paragraphs of a list on each of its levels, and writes their numbers. */
export class LevelCounts {
  /** Undefined before the first one. */
  readonly #counts: (number | undefined)[] = []

  /** Begins a level anew; behind `last`, if it is given. */
  begin(at: number, last?: number): void {
    this.#counts[at] = last
  }

  /**
   * The number of the next paragraph on a level, such as `12.3`, `§ 4.2` or `a)`. Levels above it
   * that were not counted are shown as they begin. `starts`: numbers to begin with, by level.
   */
  next(
    at: number,
    levels: readonly (Level | undefined)[],
    starts: readonly (number | undefined)[] = [],
  ): string {
    const level = levels[at]
    if (!level) return ''
    const counts = this.#counts
    const startOf = (of: number) => starts[of] ?? levels[of]?.start
    const last = counts[at]
    counts[at] = last === undefined ? startOf(at) : last + 1
    for (let below = at + 1; below < levels.length; below++) {
      if (at < (levels[below]?.restart ?? below)) counts[below] = undefined
    }
    if (level.format === 'bullet') return bullet
    const text = level.pattern.replace(/%([1-9])/g, (_, digit: string) => {
      const of = Number(digit) - 1
      const { format = '' } = levels[of] ?? {}
      const is_digits = level.is_legal && format !== 'none'
      return formattedNumber(counts[of] ?? startOf(of) ?? 0, is_digits ? '' : format)
    })
    return text.trim()
  }
}

/** The text of an automatic number by its format (ECMA-376, 17.18.59); digits for a rare one. */
export function formattedNumber(number: number, format: string): string {
  switch (format) {
    case 'none':
      return ''
    case 'bullet':
      return bullet
    case 'decimalZero':
      return String(number).padStart(2, '0')
    case 'lowerLetter':
      return letters(number, latin)
    case 'upperLetter':
      return letters(number, latin).toUpperCase()
    case 'russianLower':
      return letters(number, russian)
    case 'russianUpper':
      return letters(number, russian).toUpperCase()
    case 'lowerRoman':
      return roman(number).toLowerCase()
    case 'upperRoman':
      return roman(number)
    case 'ordinal':
      return `${number}${ordinalEnd(number)}`
    case 'numberInDash':
      return `- ${number} -`
    default:
      return String(number)
  }
}

function letters(number: number, alphabet: string): string {
  const repeats = Math.ceil(number / alphabet.length)
  if (repeats < 1 || repeats > max_repeats) return String(number)
  return alphabet[(number - 1) % alphabet.length]!.repeat(repeats)
}

function roman(number: number): string {
  if (number < 1 || number > max_roman) return String(number)
  let text = ''
  let left = number
  for (const [value, sign] of romans) {
    text += sign.repeat(Math.floor(left / value))
    left %= value
  }
  return text
}

function ordinalEnd(number: number): string {
  if (Math.floor(number / 10) % 10 === 1) return 'th'
  return ['th', 'st', 'nd', 'rd'][number % 10] ?? 'th'
}
