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
}

/** The number of a paragraph, such as `12.3`, `§ 4.2` or `a)`. `counts`: of all levels. */
export function numberText(
  { format, pattern, is_legal = false }: Level,
  levels: readonly (Level | undefined)[],
  counts: readonly (number | undefined)[],
): string {
  if (format === 'bullet') return bullet
  const text = pattern.replace(/%([1-9])/g, (_, digit: string) => {
    const at = Number(digit) - 1
    const level = levels[at]
    const is_digits = is_legal && level?.format !== 'none'
    return formattedNumber(counts[at] ?? level?.start ?? 0, is_digits ? '' : (level?.format ?? ''))
  })
  return text.trim()
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
