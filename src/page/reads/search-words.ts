/** A longer query finds nothing that a shorter one does not, and its expression is slow to make. */
export const max_query_chars = 200
/** Combining marks: macOS stores names with them (NFD). */
const mark = '[\\u0300-\\u036f]*'
/** Letters with a stroke, which are no accents for Unicode. */
const without_stroke: Record<string, string> = { ø: 'o', ł: 'l', đ: 'd' }

/** Without case and accents: `Łódź` and `lodz` give the same, `Straße` and `STRASSE` too. */
function folded(letter: string): string {
  const bare = letter
    .normalize('NFD')
    .replace(/[\u0300-\u036f]/g, '')
    .normalize('NFC')
    .toUpperCase()
    .toLowerCase()
  return without_stroke[bare] ?? bare
}

function foldedText(text: string): string {
  return [...text.normalize('NFC')].slice(0, max_query_chars).map(folded).join('')
}

/** Finds a whole name, or names with slashes between, in a path. Case and accents do not matter. */
export function nameFinder(name: string): RegExp {
  return new RegExp(withSharpS(patternSource(foldedText(name))), 'giu')
}

/**
 * An expression for each word of a query, the longest first, to find it in paths as they are. To
 * fold every path would take three times as long. A word with `*` is a pattern of whole names.
 */
export function findersOf(query: string): RegExp[] {
  const words = foldedText(query).split(/[\s\0]+/)
  const found = words.filter((word) => word !== '').sort((a, b) => b.length - a.length)
  return found.map((word) => {
    const source = word.includes('*') ? patternSource(word) : spelled(word)
    return new RegExp(withSharpS(source), 'giu')
  })
}

function withSharpS(source: string): string {
  const s = spelling('s')
  const ss = s.replace(escaped('ß'), '').repeat(2)
  return source.replaceAll(s.repeat(2), `(?:${ss}|ß)`)
}

function spelled(word: string): string {
  return [...word].map(spelling).join('')
}

/** `*` stands for any characters but a slash. What it has passed is not tried again (`\\1`). */
function patternSource(word: string): string {
  const [first = '', ...parts] = word
    .replace(/^(?:\*\*\/)+/, '')
    .split(/\*+/)
    .map(spelled)
  const last = parts.pop()
  const between = parts.map((part, at) => `(?=([^/\\0]*?${part}))\\${at + 1}`).join('')
  const rest = last === undefined ? '' : `[^/\\0]*${last}`
  return `(?<=^|[/\\0])${first}${between}${rest}(?=[/\\0]|$)`
}

/** No path fits in two ways: in a long word, to try them all would never end. */
function spelling(letter: string): string {
  const nfd = [...letter.normalize('NFD')].map(escaped)
  const apart = nfd.length > 1 ? `|${nfd.join('')}` : ''
  return `(?:[${escaped(letter)}${spellings().get(letter) ?? ''}]${apart})${mark}`
}

function escaped(letter: string): string {
  return `\\u{${letter.codePointAt(0)!.toString(16)}}`
}

let known_spellings: Map<string, string> | undefined

/** Other letters that fold to one, or begin like it, escaped. Latin, Greek and Cyrillic. */
function spellings(): Map<string, string> {
  if (known_spellings) return known_spellings
  known_spellings = new Map()
  for (let code = 0x80; code < 0x2200; code++) {
    const letter = String.fromCodePoint(code)
    const first = folded(letter).charAt(0)
    known_spellings.set(first, `${known_spellings.get(first) ?? ''}${escaped(letter)}`)
  }
  return known_spellings
}
