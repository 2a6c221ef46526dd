import { type Document, isAlias, isNode, isScalar, visit, type YAMLError } from 'yaml'

/** A fault in words for a user, and its place. */
interface Found {
  offset: number
  message: string
}

type Causes = readonly (readonly [RegExp, string])[]

const typographic =
  'this text begins with a typographic quote, which would belong to the text: use plain quotes, " or \''
const separated =
  'this number can be read in two ways: write it without a separator, such as 1500 for 1.500'
const begins_with_tab = 'this line begins with a tab: indent it with spaces'
const no_comma = 'a comma is missing here: it divides the entries in [ ] and the fields in { }'
const apostrophe =
  'an apostrophe ends this text here: write it twice, or put the text into double quotes'
const indentation =
  'this line is indented unlike those above it: fields of one section begin in the same column, and so do the dashes of one list'

/** Lines that show the cause of an error in them. */
const line_causes: Causes = [
  [/^ *\t/, begins_with_tab],
  [/^(<<<<<<<|=======|>>>>>>>|```)/, 'this line is no YAML: take it out'],
  [
    /[\u00a0\u2000-\u200b\u202f\u3000\ufeff]/,
    'this line holds a space of another kind: replace it by a plain one',
  ],
  [
    /^\s*([–—•*]\s|[-–—•][^\s-])/,
    'this line must begin with "- ", a dash and a space, to be an entry of a list',
  ],
]

/** Errors of the parser that have one cause each. */
const parser_causes: Causes = [
  [
    /^Map keys must be unique/,
    'this field stands twice in its section: keep one of the two, or begin another entry with "- "',
  ],
  [/^Missing , or|^Block collections are not allowed within/, no_comma],
  [
    /^Source contains multiple/,
    'a second document begins here (---): keep one, and take this line out',
  ],
  [/^Invalid escape/, "this text has a backslash in double quotes: use single quotes, '…'"],
]

/**
 * The fault of a text that YAML cannot read, or reads as something else than its writer meant.
 * Undefined if there is none. One slip makes several errors, of which the first shows the cause.
 */
export function yamlFault(document: Document.Parsed, source: string): Found | undefined {
  const tab = document.errors.find(({ code }) => code === 'TAB_AS_INDENT')
  if (tab) return { offset: tab.pos[0], message: begins_with_tab }
  const found = misread(document)
  const [first] = document.errors.sort((a, b) => a.pos[0] - b.pos[0])
  if (first) found.push(causeOf(first, document, source))
  return found.sort((a, b) => a.offset - b.offset)[0]
}

/** Shows no value: a secret may stand in the wrong place. */
function needsQuotes(first: string): string {
  const example = first === '*' ? '*.pdf' : first === '!' ? '!*.tmp' : `${first}…`
  return `this text begins with ${first}, which has a meaning of its own in YAML: put the text into quotes, such as "${example}"`
}

/** Texts that are valid and mean something else than they say. */
function misread(document: Document.Parsed): Found[] {
  const found = document.warnings
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
    .map(({ pos: [offset] }) => ({ offset, message: needsQuotes('!') }))
  const anchors = new Set<unknown>()
  visit(document, (_key, node) => {
    if (!isNode(node)) return
    const say = (message: string) => found.push({ offset: node.range?.[0] ?? 0, message })
    if (isAlias(node)) {
      if (!anchors.has(node.source)) say(needsQuotes('*'))
      return
    }
    anchors.add(node.anchor)
    if (node.tag === '!') say(needsQuotes('!'))
    if (!isScalar(node) || node.type !== 'PLAIN') return
    const text = String(node.source)
    if (/^[“”„‟‘’‚‛«»‹›＂]/.test(text)) say(typographic)
    if (text === '~') say(needsQuotes('~'))
    if (/^[1-9]\d{0,2}\.\d{3}$/.test(text)) say(separated)
  })
  return found
}

function causeOf(error: YAMLError, document: Document.Parsed, source: string): Found {
  const { code, message, pos } = error
  const [offset] = pos
  const start = source.lastIndexOf('\n', offset - 1) + 1
  const say = (message: string, from = offset) => ({ offset: from, message })
  const [line = ''] = source.slice(start).split('\n', 1)
  const by_line = line_causes.find(([pattern]) => pattern.test(line))
  const is_begin = /^\s*\S?$/.test(source.slice(start, offset))
  if (by_line && is_begin) return say(by_line[1], start)
  if (/cannot start with|cannot be an empty|[Tt]ag/.test(message))
    return say(needsQuotes(source[offset]!))
  if (/^'\w/.test(source.slice(offset - 1))) return say(apostrophe)
  const by_parser = parser_causes.find(([pattern]) => pattern.test(message))
  if (by_parser) return say(by_parser[1])
  const opened = openedBefore(error, document, source)
  if (opened !== undefined)
    return say('nothing closes this quote or bracket: add its end, or put it into quotes', opened)
  if (by_line) return say(by_line[1], start)
  if (/^\s*(- +)*$/.test(source.slice(start, offset))) {
    const is_text = code === 'MULTILINE_IMPLICIT_KEY' || message.startsWith('Implicit map keys')
    return say(
      is_text
        ? 'this line has no ": ", a colon and a space, after the name of its field'
        : indentation,
    )
  }
  const key = document.errors.find(
    (other) => other.code === 'MULTILINE_IMPLICIT_KEY' && other.pos[0] === offset,
  )
  if (key) return say(indentation, source.lastIndexOf('\n', key.pos[1] - 1) + 1)
  // The error may stand at the end of the line above.
  if (/same column|without - indicator/.test(message))
    return say(indentation, source[offset] === '\n' ? offset + 1 : offset)
  if (code === 'NON_STRING_KEY') return say(needsQuotes(source[offset]!))
  if (code === 'BLOCK_AS_IMPLICIT_KEY')
    return say('this text holds a second colon: put it into quotes')
  // Other messages may quote the source after a colon or line end.
  return say(code === 'UNEXPECTED_TOKEN' ? moreText(source, offset) : message.split(/[:\n]/, 1)[0]!)
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
    if ((is_open || is_long) && !source.slice(end, offset).includes('\n')) opened = begin
  })
  return opened
}
