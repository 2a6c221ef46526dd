import { type Document, isNode, isScalar, visit, type YAMLError } from 'yaml'
import { begins_with_tab, indentationFault, lineCause, no_colon } from './yaml-lines.ts'
import { controlFault, type Found, misread, needsQuotes } from './yaml-misread.ts'

type Causes = readonly (readonly [RegExp, string])[]

const no_comma = 'a comma is missing here: it divides the entries in [ ] and the fields in { }'
const unreadable =
  'YAML cannot read this line: put its text into quotes, or compare it with its neighbours'
const cut_open =
  'nothing closes this quote or bracket before the # of a comment: add its end, or put the text with # into quotes'
const apostrophe =
  'an apostrophe ends this text here: write it twice, or put the text into double quotes'
/** Errors of the parser that have one cause each. */
const parser_causes: Causes = [
  [
    /^Map keys must be unique/,
    'this field stands twice in its section: keep one of the two, or begin another entry with "- "',
  ],
  [/^Missing , |^Block collections are not allowed within/, no_comma],
  [
    /^Source contains multiple/,
    'a second document begins here (---): keep one, and take this line out',
  ],
  [/^Comments must be separated/, 'a comment needs a space before its #'],
  [/^Invalid escape/, "this text has a backslash in double quotes: use single quotes, '…'"],
]

/**
 * The fault of a text that YAML cannot read, or reads as something else than its writer meant.
 * Undefined if there is none. One slip makes several errors, of which the first shows the cause.
 */
export function yamlFault(document: Document.Parsed, source: string): Found | undefined {
  const control = controlFault(source)
  if (control) return control
  const tab = document.errors.find(({ code }) => code === 'TAB_AS_INDENT')
  if (tab) return { offset: tab.pos[0], message: begins_with_tab }
  const errors = document.errors.sort((a, b) => a.pos[0] - b.pos[0])
  const first = errors.find(({ message }) => !message.startsWith('Comments must')) ?? errors[0]
  const found = misread(document, source)
  if (first) found.push(causeOf(first, document, source))
  return found.sort((a, b) => a.offset - b.offset)[0]
}

function causeOf(error: YAMLError, document: Document.Parsed, source: string): Found {
  const { code, message, pos } = error
  const [offset] = pos
  const start = source.lastIndexOf('\n', offset - 1) + 1
  const say = (message: string, from = offset) => ({ offset: from, message })
  const by_line = lineCause(source, offset)
  const is_begin = /^\s*\S?$/.test(source.slice(start, offset))
  if (by_line && is_begin) return say(by_line, start)
  if (/cannot start with|cannot be an empty|[Tt]ag/.test(message))
    return say(needsQuotes(source[offset]!))
  if (/^'\w/.test(source.slice(offset - 1))) return say(apostrophe)
  const here = document.errors.filter((other) => other.pos[0] === offset)
  const by_parser = parser_causes.find(([pattern]) => here.some((one) => pattern.test(one.message)))
  if (by_parser) return say(by_parser[1])
  const opened = openedBefore(error, document, source)
  if (opened !== undefined) {
    const is_cut = /^[^\n]*[\s[{,]#/.test(source.slice(opened))
    return say(
      is_cut
        ? cut_open
        : 'nothing closes this quote or bracket: add its end, or put it into quotes',
      opened,
    )
  }
  if (by_line) return say(by_line, start)
  if (/^\s*(- +)*$/.test(source.slice(start, offset))) {
    const is_text = code === 'MULTILINE_IMPLICIT_KEY' || message.startsWith('Implicit map keys')
    return is_text ? say(no_colon) : indentationFault(source, offset)
  }
  const key = document.errors.find(
    (other) => other.code === 'MULTILINE_IMPLICIT_KEY' && other.pos[0] === offset,
  )
  if (key) return indentationFault(source, key.pos[1] - 1)
  // The error may stand at the end of the line above.
  if (/same column|without - indicator/.test(message)) return indentationFault(source, offset)
  if (code === 'NON_STRING_KEY') return say(needsQuotes(source[offset]!))
  if (code === 'BLOCK_AS_IMPLICIT_KEY')
    return say('this text holds a second colon: put it into quotes')
  return say(code === 'UNEXPECTED_TOKEN' ? moreText(source, offset) : unreadable)
}

/** Says what follows a text that has ended. */
function moreText(source: string, offset: number): string {
  if (source[offset] === ',')
    return 'more text follows here: put a list into brackets, such as ["*.bak", "*.tmp"]'
  return 'more text follows here: put the whole text into quotes'
}

/** The begin of a quote or bracket that has no end before the error, or in a later line. */
function openedBefore(
  { message, pos: [offset] }: YAMLError,
  document: Document.Parsed,
  source: string,
): number | undefined {
  const is_open = /^Missing closing|end with a [}\]]/.test(message)
  let opened: number | undefined
  visit(document, (_key, node) => {
    if (!isNode(node) || !node.range) return
    const [begin, end] = node.range
    if (!/["'[{]/.test(source[begin]!) || begin >= offset || end > offset) return
    const is_long = source.slice(begin, end).includes('\n') && isScalar(node)
    const between = source.slice(end, offset).replace(/(^|\s)#.*/g, '')
    if ((is_open || is_long) && !between.trim().includes('\n')) opened = begin
  })
  return opened
}
