import {
  type Document,
  isAlias,
  isNode,
  isPair,
  isScalar,
  type Pair,
  type Scalar,
  visit,
} from 'yaml'
import { typographic_quotes } from './token-fault.ts'
import { lineCause, strange_space } from './yaml-lines.ts'

/** A fault in words for a user, and its place. */
export interface Found {
  offset: number
  message: string
}

const typographic =
  'this text begins with a typographic quote, which would belong to the text: use plain quotes, " or \''
const separated =
  'this number can be read in two ways: write it without a separator (for example 1500, not 1.500)'
const cut =
  'a comment begins with this # and ends the text: put the text into quotes, or a space after the # of a comment'
const continued =
  'this line is read as a part of the text above it: indent it like its neighbours, or put the whole text into quotes'
const unopened = 'this text ends with a quote that nothing opens: take it away, or open it'
const no_value =
  'this field has no ": ", a colon and a space, after its name; a text that begins with { needs quotes'
const no_name = 'the name of a field is missing before this colon'
const comma =
  'a comma begins another field here: write a number or duration without one, such as 10000 or 1h30m'
const no_text = 'the text after | or > must be indented more than the name of its field'
const control = 'this line holds a zero byte or another control character: take it out'

const typographic_quote = new RegExp(`^[${typographic_quotes}]`)

/** Fields that hold any text, so that a comment may take a part of it away unseen. */
const text_fields =
  /^(name|prompt|subject|template|path|paths|labels|add|include|exclude|skills|run|dir|tls_cert|tls_key|\w+_(file|dir))$/
/** Fields with prose, which may go over several lines and end with any quote. */
const prose_fields = /^(prompt|subject|template)$/
// biome-ignore lint/suspicious/noControlCharactersInRegex: YAML allows none of these
const control_character = /[\0-\x08\v\f\x0e-\x1f\x7f]/

/** The beginning of a text in lines of its own, with nothing else in its line. */
const empty_block = /^[|>][-+\d]*[^\S\n]*(\s#.*)?(\n|$)/

/** Shows no value: a secret may stand in the wrong place. */
export function needsQuotes(first: string): string {
  return `this text begins with ${first}, which has a meaning of its own in YAML: put the text into quotes, as in "${first}…"`
}

/** A character that no text may hold, whatever it does to YAML. */
export function controlFault(source: string): Found | undefined {
  const offset = source.search(control_character)
  return offset < 0 ? undefined : { offset, message: control }
}

/** Texts that are valid and mean something else than they say. */
export function misread(document: Document.Parsed, source: string): Found[] {
  const found = document.warnings
    .filter(({ code }) => code === 'TAG_RESOLVE_FAILED')
    .map(({ pos: [offset] }) => ({ offset, message: needsQuotes('!') }))
  const is_sound = document.errors.every(({ code }) => code === 'DUPLICATE_KEY')
  const anchors = new Set<unknown>()
  visit(document, (key, node, ancestors) => {
    if (isPair(node) && is_sound) found.push(...withoutColon(node))
    if (!isNode(node)) return
    const say = (message: string) => found.push({ offset: node.range?.[0] ?? 0, message })
    if (isAlias(node)) {
      if (!anchors.has(node.source)) say(needsQuotes('*'))
      return
    }
    anchors.add(node.anchor)
    if (node.tag === '!') say(needsQuotes('!'))
    if (!isScalar(node)) return
    const pair = ancestors.findLast((around) => isPair(around)) as Pair<Scalar> | undefined
    const name = key === 'key' ? '' : String(pair?.key.value)
    found.push(...misreadText(node as Scalar.Parsed, { name, source, is_sound }))
  })
  return found
}

/** A name in { } without a colon would get its default. */
function withoutColon({ key, value }: Pair): Found[] {
  if (value !== null || !isScalar(key)) return []
  return [
    { offset: key.range?.[0] ?? 0, message: /^\d/.test(String(key.source)) ? comma : no_value },
  ]
}

interface Around {
  /** Name of the field; empty for the name itself. */
  name: string
  source: string
  /** The parser has no error. */
  is_sound: boolean
}

function misreadText(node: Scalar.Parsed, { name, source, is_sound }: Around): Found[] {
  const [begin, end] = node.range
  if (node.value === '' && empty_block.test(source.slice(begin))) {
    const next = source.indexOf('\n', begin) + 1
    const is_field = /^\s*(- )?[a-z_]+:(\s|$)/.test(source.slice(next))
    return [{ offset: is_field || next === 0 ? begin : next, message: no_text }]
  }
  if (node.type !== 'PLAIN') return []
  const text = source.slice(begin, end)
  if (name === '' && /^(\s|$)/.test(text))
    return [{ offset: begin, message: text === '' ? no_name : strange_space }]
  if (name === '' && /[{[]/.test(text)) return [{ offset: begin, message: no_value }]
  const found: Found[] = []
  const say = (message: string, offset = begin) => found.push({ offset, message })
  if (typographic_quote.test(text)) say(typographic)
  if (text === '~') say(needsQuotes('~'))
  if (/^[1-9]\d{0,2}\.\d{3}$/.test(text)) say(separated)
  const comment = /^[ \t]+(?=#)(?!#+[^\S\n]+\S)/.exec(source.slice(end))
  if (comment && text_fields.test(name)) say(cut, end + comment[0].length)
  if (prose_fields.test(name) || name === '') return found
  if (is_sound && /^[^"”“»＂]*["”“»＂]$|^[^'’]*['’]$/.test(text)) say(unopened)
  const more = /\n\s*(?=\S)/.exec(text)
  if (more) {
    const next = begin + more.index + more[0].length
    const first = lineCause(source, begin)
    if (first !== undefined) say(first)
    else say(lineCause(source, next) ?? continued, next)
  }
  return found
}
