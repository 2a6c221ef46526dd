/** Elements whose content is not for reading. */
const silent = new Set(['script', 'style', 'template', 'svg'])
/** Elements that begin a line, and those around which a paragraph ends. */
const line_starts = new Set(['br', 'li', 'tr', 'dt', 'dd', 'option'])
const paragraph_ends = new Set([
  ...['p', 'div', 'section', 'article', 'header', 'footer', 'main', 'aside', 'nav', 'figure', 'figcaption'],
  ...['h1', 'h2', 'h3', 'h4', 'h5', 'h6', 'ul', 'ol', 'dl', 'table', 'blockquote', 'pre', 'form', 'title', 'body'],
])

/**
 * What a person reads of an HTML page, as text with an empty line between paragraphs. One pass from left to right, linear in the
 * length of the page however broken it is; not a browser: unclosed elements and scripts that write are not resolved.
 */
export function htmlToText(html: string): string {
  // ASCII letters only: toLowerCase could change the length, and with it every position.
  const lower = html.replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  const parts: string[] = []
  let at = 0
  let look_at = 0
  for (;;) {
    const open = html.indexOf('<', look_at)
    if (open < 0) break
    const tag = readTag(lower, open)
    // A mere character: cut nothing there, or a page full of them becomes millions of pieces.
    look_at = open + 1
    if (tag === undefined) continue
    parts.push(html.slice(at, open))
    at = silent.has(tag.name) && !tag.closes ? skipElement(lower, tag.name, tag.end) : tag.end
    look_at = at
    if (paragraph_ends.has(tag.name)) parts.push('\n\n')
    else if (line_starts.has(tag.name) && !tag.closes) parts.push('\n')
    else if (tag.name === 'td' || tag.name === 'th') parts.push(' ')
  }
  parts.push(html.slice(at))
  return tidy(decodeEntities(parts.join('')))
}

interface Tag {
  name: string
  closes: boolean
  end: number
}

function readTag(lower: string, open: number): Tag | undefined {
  if (lower.startsWith('<!--', open)) return { name: '!', closes: false, end: after(lower, '-->', open + 4) }
  const next = lower[open + 1] ?? ''
  if (next === '!' || next === '?') return { name: '!', closes: false, end: after(lower, '>', open + 2) }
  const closes = next === '/'
  const from = closes ? open + 2 : open + 1
  let to = from
  while (to < from + 32 && /[a-z0-9-]/.test(lower[to] ?? '')) to++
  if (to === from) return undefined
  return { name: lower.slice(from, to), closes, end: endOfTag(lower, to) }
}

/** A `>` inside a quoted value does not end the tag. */
function endOfTag(lower: string, from: number): number {
  let quote = ''
  for (let at = from; at < lower.length; at++) {
    const letter = lower[at]!
    if (quote !== '') {
      if (letter === quote) quote = ''
    } else if (letter === '"' || letter === "'") quote = letter
    else if (letter === '>') return at + 1
  }
  return lower.length
}

function skipElement(lower: string, name: string, from: number): number {
  const close = lower.indexOf(`</${name}`, from)
  return close < 0 ? lower.length : endOfTag(lower, close + name.length + 2)
}

function after(text: string, mark: string, from: number): number {
  const at = text.indexOf(mark, from)
  return at < 0 ? text.length : at + mark.length
}

const named: Record<string, string> = {
  amp: '&',
  lt: '<',
  gt: '>',
  quot: '"',
  apos: "'",
  nbsp: ' ',
  shy: '',
  hellip: '…',
  ndash: '–',
  mdash: '—',
  lsquo: '‘',
  rsquo: '’',
  ldquo: '“',
  rdquo: '”',
  bdquo: '„',
  laquo: '«',
  raquo: '»',
  bull: '•',
  middot: '·',
  copy: '©',
  reg: '®',
  trade: '™',
  deg: '°',
  euro: '€',
  pound: '£',
  sect: '§',
  szlig: 'ß',
  auml: 'ä',
  ouml: 'ö',
  uuml: 'ü',
  Auml: 'Ä',
  Ouml: 'Ö',
  Uuml: 'Ü',
  eacute: 'é',
  egrave: 'è',
  agrave: 'à',
  ccedil: 'ç',
  ntilde: 'ñ',
  aring: 'å',
  oslash: 'ø',
  aelig: 'æ',
}

function decodeEntities(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#[xX]([0-9a-fA-F]{1,6})|([A-Za-z]{2,8}));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(named, name) ? named[name]! : whole
    const point = decimal === undefined ? Number.parseInt(hex, 16) : Number.parseInt(decimal, 10)
    const is_scalar = point > 0 && point <= 0x10ffff && (point < 0xd800 || point > 0xdfff)
    return is_scalar ? String.fromCodePoint(point) : '\ufffd'
  })
}

function tidy(text: string): string {
  return text
    .replace(/[ \t\r\f\v\u00a0]+/g, ' ')
    .replace(/ ?\n ?/g, '\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()
}
