import { isMap, isScalar, isSeq, LineCounter, type Node, parseDocument } from 'yaml'
import { token_character } from '../base/text/scrub.ts'
import type { Fault, Path, Place } from './faults.ts'
import { yamlFault } from './yaml-faults.ts'

const secret_field = /^(token|(x[-_])?api[-_]?key|password|secret|authorization)$/i
/** A longer text with other characters than letters and digits is no token: it may be a path. */
const token_like = new RegExp(
  String.raw`pat_[A-Za-z0-9]{32}|(?<![\w/.-])pat_${token_character}{32}(?![^\s"',\]}])`,
  'g',
)

function keepOut(what: string, field: string, more = ''): string {
  return `a ${what} does not belong into this file: put it into a file of its own (chmod 600) and name that as ${field}${more}`
}
const token_hint = keepOut('token', 'service.token_file', ', or set SLUICE_TOKEN_FILE')

function hintFor(key: string): string {
  if (/^password$/i.test(key)) return keepOut('password', 'password_file')
  return /^secret$/i.test(key) ? keepOut('secret', 'secret_file') : token_hint
}

/** Parses YAML. Returns plain data without empty fields, and the position of each part. */
export function parseYaml(written: string) {
  // The parser takes a carriage return alone for a space; old editors end lines with it.
  const text = written.replace(/\r(?!\n)/g, '\n')
  const lines = new LineCounter()
  // Pretty errors would quote a line of the file, which may hold a secret.
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    version: '1.2',
  })
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }

  const found = yamlFault(document, text)
  const faults: Fault[] = found
    ? [{ path: [], message: found.message, place: placeAt(found.offset) }]
    : []
  const parts = [...partsOf(document.contents, [], text)].map(({ path, offset }) => ({
    path,
    place: placeAt(offset),
  }))
  // If a name occurs twice, the first position counts.
  const places = new Map(parts.toReversed().map(({ path, place }) => [JSON.stringify(path), place]))
  faults.push(...secretFaults(parts, text, placeAt))

  let value: unknown
  try {
    value = found ? undefined : withoutNull(document.toJS({ maxAliasCount: 100 }))
  } catch {
    faults.push({ path: [], message: 'has too many references' })
  }

  /** Position of the value at a path, or of its nearest parent if the value is missing. */
  const placeOf = (path: Path): Place | undefined =>
    places.get(JSON.stringify(path)) ?? (path.length > 0 ? placeOf(path.slice(0, -1)) : undefined)
  return { value, faults, placeOf }
}

function secretFaults(
  parts: readonly { path: Path; place: Place }[],
  text: string,
  placeAt: (offset: number) => Place,
): Fault[] {
  const faults = parts.flatMap(({ path, place }) => {
    const name = String(path.at(-1))
    return secret_field.test(name) ? [{ path, message: hintFor(name), place }] : []
  })
  const lines = new Set(faults.map(({ place }) => place.line))
  for (const { index } of text.matchAll(token_like)) {
    const place = placeAt(index)
    if (!lines.has(place.line)) faults.push({ path: [], message: token_hint, place })
    lines.add(place.line)
  }
  return faults
}

/** A field has the position of its name in `text`, a list entry that of its beginning. */
function* partsOf(
  node: Node | null,
  path: Path,
  text: string,
  offset = node?.range?.[0],
): Generator<{ path: Path; offset: number }> {
  if (offset !== undefined) yield { path, offset }
  if (isSeq(node)) {
    for (const [at, item] of node.items.entries()) yield* partsOf(item as Node, [...path, at], text)
  }
  if (!isMap(node)) return
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue
    const of_key = key.range?.[0]
    const of_value = (value as Node | null)?.range?.[0]
    // A text in a line of its own is where a slip of that line is.
    const is_apart = isScalar(value) && value.source && text.slice(of_key, of_value).includes('\n')
    yield* partsOf(
      value as Node | null,
      [...path, String(key.value)],
      text,
      is_apart ? of_value : of_key,
    )
  }
}

function withoutNull(value: unknown): unknown {
  if (value === null) return undefined
  if (Array.isArray(value)) return value.map(withoutNull)
  if (typeof value !== 'object') return value
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]) => [key, withoutNull(inner)]),
  )
}
