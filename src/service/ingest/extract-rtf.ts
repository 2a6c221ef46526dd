import { unreadable } from './extract-limits.ts'
import { decodeCharset } from './text/charset.ts'

/** Groups without readable text. A group that begins with `\*` is optional and skipped, too. */
const silent = new Set(
  `fonttbl colortbl stylesheet info pict object objdata themedata datastore fldinst listtable listoverridetable revtbl rsidtbl
generator xmlnstbl annotation filetbl nonshppict`.split(/\s+/),
)

const written: Record<string, string> = {
  par: '\n\n',
  sect: '\n\n',
  page: '\n\n',
  line: '\n',
  row: '\n',
  tab: '\t',
  cell: '\t',
  emdash: '—',
  endash: '–',
  lquote: '‘',
  rquote: '’',
  ldblquote: '“',
  rdblquote: '”',
  bullet: '•',
  '~': '\u00a0',
  _: '-',
}

/** Charsets by the number in `\fcharset`: a font's text can have another than the document. */
const charsets: Record<number, string> = {
  0: 'windows-1252',
  128: 'shift_jis',
  129: 'euc-kr',
  134: 'gbk',
  136: 'big5',
  161: 'windows-1253',
  162: 'windows-1254',
  163: 'windows-1258',
  177: 'windows-1255',
  178: 'windows-1256',
  186: 'windows-1257',
  204: 'windows-1251',
  222: 'windows-874',
  238: 'windows-1250',
}
const code_pages: Record<number, string> = {
  874: 'windows-874',
  932: 'shift_jis',
  936: 'gbk',
  949: 'euc-kr',
  950: 'big5',
  65001: 'utf-8',
}

interface Group {
  is_silent: boolean
  /** The number of characters that follow each `\u`, for programs that do not know `\u`. */
  fallback_length: number
  charset: string
}

// A token is a control word with its number and space, `\'hh`, a control symbol, a brace, a line
// end, or text.
const token =
  /\\([a-z]+)(-?\d{1,10})? ?|\\'([0-9a-f]{2})|\\([^a-z'])|([{}])|[\r\n]+|([^\\{}\r\n]+)/giy

/** Extracts the text of an RTF file in one pass. Only memory limits the depth of groups. */
export function extractRtf(bytes: Buffer): string {
  const source = bytes.toString('latin1')
  const state = new RtfState()
  token.lastIndex = 0
  for (let match = token.exec(source); match; match = token.exec(source)) {
    const [, word, number, hex, symbol, brace, text] = match
    if (word === 'bin') token.lastIndex += Math.max(0, Number(number ?? 0))
    else if (word !== undefined) state.word(word, number === undefined ? undefined : Number(number))
    else if (hex !== undefined) state.byte(Number.parseInt(hex, 16))
    else if (symbol !== undefined) state.symbol(symbol)
    else if (brace !== undefined) state.brace(brace)
    else if (text !== undefined) state.text(text)
  }
  return state.end()
}

class RtfState {
  readonly #parts: string[] = []
  readonly #groups: Group[] = []
  readonly #fonts = new Map<number, string>()
  #group: Group = { is_silent: false, fallback_length: 1, charset: 'windows-1252' }
  /** Bytes of `\'hh` tokens in a row, decoded together because a character can take two. */
  #bytes: number[] = []
  #font_defined = -1
  /** The number of characters after the last `\u` that are still to be skipped. */
  #passed_over = 0

  word(word: string, number: number | undefined): void {
    if (word === 'u' && number !== undefined) {
      this.#write(String.fromCharCode(number < 0 ? number + 65_536 : number))
      this.#passed_over = this.#group.fallback_length
      return
    }
    this.#passed_over = 0
    if (word === 'uc') this.#group.fallback_length = number ?? 1
    else if (word === 'ansicpg')
      this.#group.charset = code_pages[number ?? 0] ?? `windows-${number}`
    else if (word === 'f' || word === 'deff') this.#chooseFont(number ?? 0)
    else if (word === 'fcharset') this.#fonts.set(this.#font_defined, charsets[number ?? 0] ?? '')
    else if (silent.has(word)) this.#group.is_silent = true
    else if (Object.hasOwn(written, word)) this.#write(written[word]!)
  }

  byte(byte: number): void {
    if (this.#passed_over > 0) this.#passed_over--
    else if (!this.#group.is_silent) this.#bytes.push(byte)
  }

  symbol(symbol: string): void {
    if (symbol === '*') this.#group.is_silent = true
    else if ('\\{}'.includes(symbol)) this.text(symbol)
    else if (symbol === '\n' || symbol === '\r') this.#write('\n\n')
    else if (Object.hasOwn(written, symbol)) this.#write(written[symbol]!)
  }

  brace(brace: string): void {
    this.#flush()
    this.#passed_over = 0
    if (brace === '{') {
      this.#groups.push(this.#group)
      this.#group = { ...this.#group }
      return
    }
    const outer = this.#groups.pop()
    if (!outer) throw unreadable('broken: RTF whose groups do not match')
    this.#group = outer
  }

  text(text: string): void {
    const rest = text.slice(this.#passed_over)
    this.#passed_over -= text.length - rest.length
    if (rest !== '') this.#write(rest)
  }

  end(): string {
    this.#flush()
    if (this.#groups.length > 0) throw unreadable('broken: RTF that ends in the middle')
    return this.#parts.join('')
  }

  #chooseFont(font: number): void {
    this.#flush()
    this.#font_defined = font
    const charset = this.#fonts.get(font)
    if (charset) this.#group.charset = charset
  }

  #write(text: string): void {
    this.#flush()
    if (!this.#group.is_silent) this.#parts.push(text)
  }

  #flush(): void {
    if (this.#bytes.length === 0) return
    const bytes = Buffer.from(this.#bytes)
    this.#bytes = []
    this.#parts.push(decode(this.#group.charset, bytes))
  }
}

function decode(charset: string, bytes: Buffer): string {
  try {
    return decodeCharset(charset, bytes, { strict: false })
  } catch {
    // This Node does not know the code page. Most code pages share the ASCII letters at least.
    return decodeCharset('windows-1252', bytes, { strict: false })
  }
}
