type Causes = readonly (readonly [RegExp, string])[]

export const begins_with_tab = 'this line begins with a tab: indent it with spaces'
export const no_colon =
  'this line has no ": ", a colon and a space, after the name of its field; a line that continues the text above is indented more than its field'
export const strange_space = 'this line holds a space of another kind: replace it by a plain one'
const no_dash = 'this line must begin with "- ", a dash and a space, to be an entry of a list'
const indentation =
  'this line is indented unlike those above it: fields of one section begin in the same column, and so do the dashes of one list'
const after_comment =
  'a comment ends the text above this line: put the whole text into quotes, or take the comment out'

/** Lines that show the cause of an error in them. */
const line_causes: Causes = [
  [/^ *\t/, begins_with_tab],
  [/^(<<<<<<<|=======|>>>>>>>|```)/, 'this line is no YAML: take it out'],
  [/[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/, strange_space],
  [/^\s*([–—•*]\s|[-–—•][^\s-])/, no_dash],
]

/** The cause of an error that the line around an offset shows. */
export function lineCause(source: string, offset: number): string | undefined {
  const [line = ''] = source.slice(source.lastIndexOf('\n', offset - 1) + 1).split('\n', 1)
  return line_causes.find(([pattern]) => pattern.test(line))?.[1]
}

/** A line that is neither empty nor a comment. */
interface Line {
  offset: number
  text: string
  indent: number
  is_entry: boolean
  /** The column of its field, after the dash of an entry. */
  column: number
}

/**
 * The line that is indented wrongly, where the parser fails at `offset`. That is often the line
 * after the slip: the first field of a section decides where the others must begin.
 */
export function indentationFault(
  source: string,
  offset: number,
): { offset: number; message: string } {
  const lines = linesOf(source)
  const at = lines.findIndex((line) => line.offset + line.indent + line.text.length > offset)
  const here = lines[at]
  const above = lines[at - 1]
  if (!here || !above) return { offset, message: indentation }
  // The parser takes a text that goes on after a comment for another one.
  const is_cut = /(^|\s)#[^\n]*\s*$/.test(source.slice(above.offset, here.offset))
  if (is_cut && here.indent > above.indent && !/^- |:/.test(here.text))
    return { offset: here.offset, message: after_comment }
  const first = firstOfBlock(lines, at)
  const begin = lines[first]!
  const before = lines[at - 2]?.text ?? ':'
  if (!/^- |: |:$/.test(above.text) && before.endsWith(':'))
    return { offset: above.offset, message: no_colon }
  if (here.is_entry && !begin.is_entry && lines[first - 1]?.text.endsWith(':'))
    return { offset: begin.offset, message: no_dash }
  const odd = isFirstOdd(lines, first, at) ? begin : here
  return { offset: odd.offset, message: indentation }
}

function linesOf(source: string): Line[] {
  const found = source.matchAll(/^([^\S\n]*)([^\s#].*?)[^\S\n]*$/gm)
  return [...found].map(({ index, 1: blank = '', 2: text = '' }) => {
    const dash = /^-(\s+|$)/.exec(text)?.[0] ?? ''
    const indent = blank.length
    return { offset: index, text, indent, is_entry: dash !== '', column: indent + dash.length }
  })
}

/** The line above, or the first of the deeper lines above that has their least indentation. */
function firstOfBlock(lines: readonly Line[], at: number): number {
  const { indent } = lines[at]!
  let first = at - 1
  for (let index = at - 1; index >= 0 && lines[index]!.indent > indent; index--) {
    if (lines[index]!.indent <= lines[first]!.indent) first = index
  }
  return first
}

/**
 * True if the first line of a block is the odd one, and not the line `at` which the parser fails.
 * The lines around show it.
 */
function isFirstOdd(lines: readonly Line[], first: number, at: number): boolean {
  const begin = lines[first]!
  const here = lines[at]!
  const parent = lines[first - 1]
  const next = lines[at + 1]
  // A file begins in the first column.
  if (!parent) return here.indent < begin.indent
  const is_open = parent.text.endsWith(':')
  // It has left its section to the left: the lines before and behind it belong together.
  const has_left = is_open ? parent.column === begin.column : parent.column === here.column
  if (begin.indent < here.indent && has_left) return true
  // It has a neighbour in its own column.
  if (parent.column === begin.column) return false
  if (next?.column === begin.column && next.column !== here.column) return false
  const in_block = countAlike(lines.slice(first, at), begin)
  const behind = countAlike(sectionOf(lines, at), here)
  if (in_block !== behind) return behind > in_block
  const others = lines.toSpliced(first, 1)
  return (
    usualSteps(others, begin.indent - parent.indent) <
    usualSteps(others, here.indent - parent.indent)
  )
}

function countAlike(lines: readonly Line[], { indent, is_entry }: Line): number {
  return lines.filter((line) => line.indent === indent && line.is_entry === is_entry).length
}

/** The lines from one on that are indented at least as much. */
function sectionOf(lines: readonly Line[], at: number): Line[] {
  const end = lines.findIndex((line, index) => index > at && line.indent < lines[at]!.indent)
  return lines.slice(at, end < 0 ? lines.length : end)
}

/** How many sections are indented by so many columns; an even number is a little more usual. */
function usualSteps(lines: readonly Line[], columns: number): number {
  const sections = lines.filter((line, at) => {
    const above = lines[at - 1]
    return above?.text.endsWith(':') && line.indent - above.indent === columns
  })
  return sections.length + (columns % 2 === 0 ? 0.5 : 0)
}
