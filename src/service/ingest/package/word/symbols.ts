/** Letters of the font Symbol from `A` and from `a` on. */
const greek_capitals = 'ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ'
const greek = 'αβχδεφγηιϕκλμνοπθρστυϖωξψζ'

/** Signs of the fonts that Word inserts symbols from, by the low byte of their code. */
const signs: Readonly<Record<string, Readonly<Record<number, string>>>> = {
  symbol: {
    163: '≤',
    165: '∞',
    172: '←',
    174: '→',
    176: '°',
    177: '±',
    179: '≥',
    180: '×',
    183: '•',
    184: '÷',
    185: '≠',
    187: '≈',
    206: '∈',
    208: '∠',
    214: '√',
    215: '⋅',
    229: '∑',
  },
  wingdings: {
    111: '☐',
    113: '☐',
    114: '☐',
    168: '☐',
    254: '☑',
    253: '☒',
    120: '☒',
    252: '✓',
    251: '✗',
    167: '▪',
    108: '●',
    110: '■',
    159: '•',
    216: '➢',
    223: '←',
    224: '→',
    232: '➔',
    74: '☺',
    76: '☹',
  },
  'wingdings 2': { 80: '✓', 82: '☑', 83: '☒', 84: '☒', 163: '☐' },
}

/** The sign of `w:sym`; empty for one without a letter in Unicode. */
export function symbolText(font: string, char: string): string {
  const code = Number.parseInt(char, 16)
  const is_private = code >= 0xf000 && code <= 0xf0ff
  const low = code & 0xff
  const name = font.toLowerCase()
  const sign = signs[name]?.[low]
  if (sign !== undefined) return sign
  if (name === 'symbol') return greek_capitals[low - 0x41] ?? greek[low - 0x61] ?? asciiText(low)
  if (!is_private) return code > 0x1f && code < 0xd800 ? String.fromCharCode(code) : ''
  return name.includes('dings') ? '' : asciiText(low)
}

function asciiText(code: number): string {
  return code > 0x1f && code < 0x7f ? String.fromCharCode(code) : ''
}
