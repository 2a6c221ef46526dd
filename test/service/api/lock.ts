import { api_errors } from '../../../src/contract/errors.ts'

// biome-ignore lint/suspicious/noExplicitAny: the document is what is tested
type Document = any
type Json = { [key: string]: unknown }

/**
 * The promises of `/v1`, without its texts: for each call and direction, the shape of every field
 * by its path.
 */
export interface Lock {
  calls: Record<string, { security: string; statuses: string[]; sent: Shapes; answered: Shapes }>
  codes: Record<string, number>
}

/** By path: `body.scope.asset_ids[]`, `?limit`, `200.data[].asset_id`. */
type Shapes = Record<string, Json>

/** Keys that do not limit the values. */
const words = new Set([
  'description',
  'examples',
  'example',
  'default',
  '$schema',
  'id',
  'properties',
  'items',
  '$ref',
])

const statuses = Object.fromEntries(
  Object.entries(api_errors).map(([code, [status]]) => [code, status]),
)

export function lockOf(document: Document, codes: Record<string, number> = statuses): Lock {
  const calls: Lock['calls'] = {}
  for (const [path, operations] of Object.entries<Document>(document.paths)) {
    for (const [method, operation] of Object.entries<Document>(operations)) {
      const sent: Shapes = {}
      for (const { in: place, name, required, schema } of operation.parameters ?? []) {
        const at = place === 'query' ? `?${name}` : `${place} ${name}`
        collect(document, schema, at, required === true, sent)
      }
      const request = operation.requestBody?.content['application/json'].schema
      if (request) collect(document, request, 'body', operation.requestBody.required, sent)
      const answered: Shapes = {}
      for (const [status, response] of Object.entries<Document>(operation.responses)) {
        if (Number(status) >= 400) continue
        for (const { schema } of Object.values<Document>(response.content ?? {})) {
          collect(document, schema, status, true, answered)
        }
      }
      const statuses = Object.keys(operation.responses)
      calls[`${method.toUpperCase()} ${path}`] = {
        security: JSON.stringify(operation.security),
        statuses,
        sent,
        answered,
      }
    }
  }
  return { calls, codes }
}

function collect(
  document: Document,
  schema: Document,
  at: string,
  required: boolean,
  into: Shapes,
): void {
  // Bounds beside a reference hold as well.
  const whole = schema.$ref
    ? { ...document.components.schemas[schema.$ref.split('/').at(-1)], ...schema }
    : schema
  const bounds = Object.fromEntries(
    Object.entries(whole).filter(([key]) => !words.has(key) && key !== 'required'),
  )
  into[at] = { required, ...bounds }
  for (const [name, inner] of Object.entries<Document>(whole.properties ?? {})) {
    collect(document, inner, `${at}.${name}`, whole.required?.includes(name) ?? false, into)
  }
  if (whole.items) collect(document, whole.items, `${at}[]`, true, into)
}

/**
 * Every way in which `now` differs from `before` by more than additions: requests that were valid
 * must stay valid.
 */
export function brokenPromises(before: Lock, now: Lock): string[] {
  const broken: string[] = []
  for (const [code, status] of Object.entries(before.codes)) {
    if (now.codes[code] !== status)
      broken.push(`code ${code}: was ${status}, is ${now.codes[code] ?? 'gone'}`)
  }
  for (const [call, old] of Object.entries(before.calls)) {
    const current = now.calls[call]
    if (!current) {
      broken.push(`${call}: is gone`)
      continue
    }
    if (current.security !== old.security) broken.push(`${call}: asks for another key`)
    for (const status of old.statuses) {
      if (!current.statuses.includes(status)) broken.push(`${call}: ${status} is gone`)
    }
    for (const status of current.statuses) {
      // A new error may come with a new reason, but no client can read a new success.
      if (Number(status) < 400 && !old.statuses.includes(status))
        broken.push(`${call}: succeeds with ${status}, too`)
    }
    for (const direction of ['sent', 'answered'] as const) {
      const found = changesOf(old[direction], current[direction], direction)
      broken.push(...found.map((change) => `${call}: ${change}`))
    }
  }
  return broken
}

function changesOf(before: Shapes, now: Shapes, direction: 'sent' | 'answered'): string[] {
  const found = Object.entries(before).flatMap(([at, old]) => {
    const current = now[at]
    if (!current) return [`${at} is gone`]
    return changedBounds(old, current, direction).map((what) => `${at}: ${what}`)
  })
  if (direction === 'answered') return found
  const asked = Object.keys(now).filter(
    (at) => !(at in before) && now[at]!.required === true && !isInside(at, before),
  )
  return [...found, ...asked.map((at) => `${at} must be sent now`)]
}

/** A part of something that is new itself, and can be left out. */
function isInside(at: string, before: Shapes): boolean {
  const parent = at.replace(/(\.[^.[]+|\[\])$/, '')
  return parent !== at && !(parent in before)
}

function changedBounds(old: Json, now: Json, direction: 'sent' | 'answered'): string[] {
  const keys = new Set([...Object.keys(old), ...Object.keys(now)])
  return [...keys].flatMap((key) => {
    const [was, is] = [old[key], now[key]]
    if (JSON.stringify(was) === JSON.stringify(is) || isLooser(key, was, is, direction)) return []
    return [`${key} was ${JSON.stringify(was) ?? 'free'}, is ${JSON.stringify(is) ?? 'free'}`]
  })
}

/**
 * Returns true where a request may send more than before, or an answer may have more in it than
 * before.
 */
function isLooser(key: string, was: unknown, is: unknown, direction: 'sent' | 'answered'): boolean {
  if (key === 'required') return direction === 'sent' ? is === false : is === true
  if (key === 'enum' || key === 'x-extensible-enum')
    return Array.isArray(was) && Array.isArray(is) && was.every((value) => is.includes(value))
  if (/^(max|exclusiveMax)/.test(key)) return Number(is) > Number(was)
  if (/^(min|exclusiveMin)/.test(key)) return Number(is) < Number(was)
  return false
}
