import type { z } from 'zod'
import { didYouMeanText } from '../base/text/did-you-mean.ts'
import { scrubText } from '../base/text/scrub.ts'

export type Path = readonly (string | number)[]

export interface Fault {
  path: Path
  message: string
  /** Position in the file, if not that of `path`; `elsewhere` for faults outside the file. */
  place?: Place | 'elsewhere'
  /** A field that is not there, or one that must not be there: both may come from one slip. */
  kind?: 'missing' | 'unknown'
}

/** Counted from 1, as editors do. */
export interface Place {
  line: number
  column: number
}

/** Text of a path: `folders[0].settle_ms`. */
export function pathText(path: Path): string {
  return path
    .map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`))
    .join('')
}

/**
 * Returns a line for each fault, in the order of the file. Lines show no values, since a secret may
 * stand in the wrong place.
 */
export function faultLines(
  faults: readonly Fault[],
  file?: string,
  placeOf: (path: Path) => Place | undefined = () => undefined,
): string[] {
  const lines = faults
    .map((fault) => ({ ...fault, place: fault.place ?? placeOf(fault.path) }))
    .map((fault) => ({
      ...fault,
      ...(typeof fault.place === 'object' ? fault.place : { line: 0, column: 0 }),
    }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ path, message, place, line, column }) => {
      const where = place === 'elsewhere' ? [] : [file, ...(place ? [line, column] : [])]
      const parts = [where.filter((part) => part !== undefined).join(':'), pathText(path), message]
      return scrubText(parts.filter(Boolean).join(': '))
    })
  return [...new Set(lines)]
}

/** Checks a value. Returns the output, or all faults at once. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { output: z.output<Schema>; faults: [] } | { output: undefined; faults: Fault[] } {
  // Compiling a checker takes longer than the one or two checks of a process.
  const result = schema.safeParse(value, {
    reportInput: true,
    error: generalMessage,
    jitless: true,
  })
  if (result.success) return { output: result.data, faults: [] }
  return { output: undefined, faults: result.error.issues.flatMap((issue) => faultsOf(issue, [])) }
}

type Issue = z.core.$ZodIssue

function faultsOf(issue: Issue, parent: Path): Fault[] {
  const path = [...parent, ...(issue.path as (string | number)[])]
  if (issue.code === 'unrecognized_keys') {
    const known = issue.message.split(', ')
    // One slip makes so many, such as a line that was divided.
    const keys = issue.keys.length > 2 ? issue.keys.slice(0, 1) : issue.keys
    return keys.map((key) => ({
      path: [...path, key],
      kind: 'unknown',
      message: `there is no such field; ${didYouMeanText(key, known, 'check its indentation, or use one of')}`,
    }))
  }
  if (issue.code === 'invalid_union') {
    // The alternative with faults inside a section is the one that the user meant.
    const inside = issue.errors.find((issues) => issues.some(isInside))
    if (inside) return inside.flatMap((inner) => faultsOf(inner, path))
    // A fault of one alternative that says more than that none fits.
    const closer = issue.errors.flat().find((inner) => inner.code === 'custom' || isUnquoted(inner))
    if (closer) return faultsOf({ ...closer, input: issue.input } as Issue, path)
  }
  if (issue.code === 'invalid_key')
    return [{ path, message: issue.issues[0]?.message ?? issue.message }]
  if (issue.code === 'invalid_type' && issue.expected === 'array' && isSection(issue.input))
    return [{ path: [...path, Object.keys(issue.input)[0]!], message: no_dash }]
  if (issue.code !== 'invalid_type' || issue.input !== undefined)
    return [{ path, message: isUnquoted(issue) ? unquotedText(issue.input) : issue.message }]
  if (typeof path.at(-1) !== 'number') return [{ path, kind: 'missing', message: 'is missing' }]
  return [{ path, message: 'is empty: put a text that begins with # or & into quotes' }]
}

const no_dash = 'must have "- " before it, a dash and a space: it is in a list'

function isSection(value: unknown): value is object {
  return typeof value === 'object' && Object.keys(value ?? []).length > 0
}

/** True for a value without quotes where any text is allowed. */
function isUnquoted(issue: Issue): boolean {
  return (
    issue.code === 'invalid_type' &&
    issue.message.startsWith('must be a text') &&
    issue.input !== undefined
  )
}

function unquotedText(input: unknown): string {
  const kinds: Record<string, string> = { object: 'a list or section', number: 'a number' }
  const kind = kinds[typeof input] ?? 'true or false'
  return `must be a text, but YAML reads ${kind} here: put it into quotes`
}

function isInside(issue: Issue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys'
}

/**
 * Message for faults without a message in the schema. For unknown fields it lists the known ones,
 * since the issue does not carry its schema.
 */
function generalMessage(issue: z.core.$ZodRawIssue): string {
  const { inst } = issue
  if (issue.code === 'unrecognized_keys' && inst && 'shape' in inst)
    return Object.keys(inst.shape as object).join(', ')
  if (issue.code === 'invalid_type' && issue.expected === 'object')
    return 'must be a section with fields of its own'
  return 'is not as it should be'
}
