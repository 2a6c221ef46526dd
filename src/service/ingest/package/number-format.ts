const latin = 'abcdefghijklmnopqrstuvwxyz'
const russian = 'абвгдежзиклмнопрстуфхцчшщыэюя'
/** Word shows `aa` for 27 and `bb` for 28; from this many letters on it shows digits. */
const max_repeats = 30
const max_roman = 32_767

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

/** The text of an automatic number by its format (ECMA-376, 17.18.59); digits for a rare one. */
export function formattedNumber(number: number, format: string): string {
  switch (format) {
    case 'none':
      return ''
    case 'bullet':
      return '•'
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
