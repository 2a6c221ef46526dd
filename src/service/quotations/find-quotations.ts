/** A quotation in an answer. Offsets in UTF-16 units. */
export interface Quotation {
  kind: 'marks' | 'blockquote'
  /** Where it begins and ends, with its marks. */
  from: number
  to: number
  /** Without its marks. */
  text: string
}

/** Fewer words may be a name or a term, which nobody takes for a quotation. */
const min_words = 4

/** A longer one is taken for a mark without its partner. Each mark costs as many steps. */
const max_marked_chars = 2_000

/** Pairs of marks of the languages of Europe; the same mark on both sides comes last. */
const pairs = [
  ['“', '”'],
  ['”', '”'],
  ['„', '“”"'],
  ['«', '»'],
  ['»', '«'],
  ['‹', '›'],
  ['›', '‹'],
  ['‚', '‘’'],
  ['‘', '’'],
  ['"', '"”'],
  ["'", "'"],
] as const

/**
 * An opening mark stands at the beginning of a word, a closing one at the end, so that inches,
 * apostrophes and the plural's genitive are none. No quotation goes on in another paragraph.
 */
const marked = new RegExp(
  pairs
    .map(([open, close]) => {
      const text = `(?:(?!\\n\\s*\\n)[^${close}]|[${close}](?=[\\p{L}\\p{N}])){1,${max_marked_chars}}?`
      return `(?<![\\p{L}\\p{N}])${open}${text}[${close}](?![\\p{L}\\p{N}])`
    })
    .join('|'),
  'gu',
)

/** A line of a blockquote, also within a list. */
const quoted_line = /^[ \t]*(?:(?:[-*+]|\d+[.)])[ \t]+)?(?:>[ \t]?)+/

/** The quotations of four words or more in a text in Markdown, outside of code, in order. */
export function findQuotations(answer: string): Quotation[] {
  const text = withoutCode(answer)
  const found = [...findBlocks(text), ...findMarked(text)]
  return found
    .filter((quotation) => wordsIn(quotation.text) >= min_words)
    .sort((one, other) => one.from - other.from || other.to - one.to)
}

export function isQuotation(text: string): boolean {
  return wordsIn(text) >= min_words
}

function wordsIn(text: string): number {
  return text.split(/\s+/).filter((word) => /[\p{L}\p{N}]/u.test(word)).length
}

/** The same offsets, with blanks in place of code. */
function withoutCode(answer: string): string {
  const blank = (code: string) => code.replace(/[^\n]/g, ' ')
  return answer
    .replace(/^[ \t]*(```+|~~~+)[^\n]*\n[\s\S]*?(?:^[ \t]*\1[ \t]*$|$(?![\s\S]))/gm, blank)
    .replace(/(?<!`)(`+)(?!`)[^\n]*?(?<!`)\1(?!`)/g, blank)
}

function findMarked(text: string): Quotation[] {
  return [...text.matchAll(marked)].map(({ 0: whole, index }) => {
    return { kind: 'marks', from: index, to: index + whole.length, text: whole.slice(1, -1) }
  })
}

/** Each paragraph of a blockquote is one. */
function findBlocks(text: string): Quotation[] {
  const blocks: Quotation[] = []
  let block: Quotation | undefined
  let from = 0
  for (const line of text.split('\n')) {
    const mark = quoted_line.exec(line)?.[0]
    const said = mark === undefined ? '' : line.slice(mark.length).trim()
    const to = from + line.trimEnd().length
    if (mark === undefined || said === '') block = undefined
    else if (block) {
      block.text += `\n${said}`
      block.to = to
    } else {
      block = { kind: 'blockquote', from, to, text: said }
      blocks.push(block)
    }
    from += line.length + 1
  }
  return blocks
}

/** Where the marks of a quotation stand: in a blockquote, at the beginning of each line. */
export function markRanges(
  answer: string,
  { kind, from, to }: Quotation,
): { from: number; to: number }[] {
  if (kind === 'marks')
    return [
      { from, to: from + 1 },
      { from: to - 1, to },
    ]
  let line_from = from
  return answer
    .slice(from, to)
    .split('\n')
    .map((line) => {
      const [whole = '', before = ''] = /^([^>]*)(?:>[ \t]?)+/.exec(line) ?? []
      const range = { from: line_from + before.length, to: line_from + whole.length }
      line_from += line.length + 1
      return range
    })
}
