import { isAlias, isMap, isScalar, isSeq, LineCounter, type Node, type ParsedNode, parseDocument } from 'yaml'
import { messageOf } from '../base/errors.ts'
import type { Fault, Path, Place } from './faults.ts'

/** A parsed file that still knows where each of its parts stands. */
export interface YamlSource {
  /** The content as plain data; fields without a value are as if they were not there. */
  value: unknown
  faults: Fault[]
  /** Where the value at a path stands, or what is nearest above it when there is none. */
  placeOf(path: Path): Place | undefined
}

const secret_field = /^(token|(x[-_])?api[-_]?key|password|secret|authorization)$/i
const token_like = /pat_[A-Za-z0-9]{32}/g

function keepOut(what: string, field: string, more = ''): string {
  return `a ${what} does not belong into this file: put it into a file of its own (chmod 600) and name that as ${field}${more}`
}
const token_hint = keepOut('token', 'service.token_file', ', or set SLUICE_TOKEN_FILE')

function hintFor(key: string): string {
  if (/^password$/i.test(key)) return keepOut('password', 'password_file')
  return /^secret$/i.test(key) ? keepOut('secret', 'secret_file') : token_hint
}

export function parseYaml(text: string): YamlSource {
  const lines = new LineCounter()
  // Pretty errors would quote the line they stand in, and with it perhaps a secret.
  const document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, version: '1.2' })
  const placeAt = (offset: number): Place => {
    const { line, col } = lines.linePos(offset)
    return { line, column: col }
  }

  const faults: Fault[] = document.errors.map(({ code, message, pos }) => {
    const advice = code === 'BLOCK_AS_IMPLICIT_KEY' ? '; a text that holds ": " must stand in quotes' : ''
    return { path: [], message: `${plainMessage(message)}${advice}`, place: placeAt(pos[0]) }
  })
  faults.push(...secretFaults(document.contents, text, placeAt))

  let value: unknown
  try {
    value = document.errors.length > 0 ? undefined : withoutNull(document.toJS({ maxAliasCount: 100 }))
  } catch (error) {
    const is_unresolved = messageOf(error).startsWith('Unresolved alias')
    const message = is_unresolved
      ? 'has a reference (*name) to what is not defined above it'
      : 'has too many references'
    faults.push({ path: [], message })
  }

  return {
    value,
    faults,
    placeOf: (path) => {
      const offset = offsetOf(document.contents, path)
      return offset === undefined ? undefined : placeAt(offset)
    },
  }
}

/** The first sentence: what follows in some messages quotes the source. */
function plainMessage(message: string): string {
  return message.split(/[:\n]/)[0]!.trim()
}

function secretFaults(root: ParsedNode | null, text: string, placeAt: (offset: number) => Place): Fault[] {
  const faults: Fault[] = []
  walkFields(root, [], (path, key, offset) => {
    if (secret_field.test(key)) faults.push({ path, message: hintFor(key), place: placeAt(offset) })
  })
  const lines = new Set(faults.map(({ place }) => (place as Place).line))
  for (const { index } of text.matchAll(token_like)) {
    const place = placeAt(index)
    if (!lines.has(place.line)) faults.push({ path: [], message: token_hint, place })
    lines.add(place.line)
  }
  return faults
}

function walkFields(node: Node | null, path: Path, visit: (path: Path, key: string, offset: number) => void): void {
  if (isSeq(node)) {
    for (const [at, item] of node.items.entries()) walkFields(item as Node, [...path, at], visit)
  }
  if (!isMap(node)) return
  for (const { key, value } of node.items) {
    if (!isScalar(key)) continue
    const name = String(key.value)
    visit([...path, name], name, key.range?.[0] ?? 0)
    walkFields(value as Node | null, [...path, name], visit)
  }
}

/** A field that is there is found at its name, an entry of a list at its beginning. */
function offsetOf(root: Node | null, path: Path): number | undefined {
  let node: Node | null = root
  let offset = node?.range?.[0]
  for (const step of path) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(step))
      if (!pair) break
      offset = (pair.key as Node).range?.[0] ?? offset
      node = pair.value as Node | null
    } else if (isSeq(node) && typeof step === 'number' && node.items[step]) {
      node = node.items[step] as Node
      offset = node.range?.[0] ?? offset
    } else {
      break
    }
    if (isAlias(node)) break
  }
  return offset
}

function withoutNull(value: unknown): unknown {
  if (value === null) return undefined
  if (Array.isArray(value)) return value.map(withoutNull)
  if (typeof value !== 'object') return value
  return Object.fromEntries(Object.entries(value as object).map(([key, inner]) => [key, withoutNull(inner)]))
}
