import { z } from 'zod'
import { didYouMean } from '../base/did-you-mean.ts'
import { scrubText } from '../base/scrub.ts'

export type Path = readonly (string | number)[]

export interface Fault {
  path: Path
  message: string
  /** Where in the file, when that is not the place of `path`; `elsewhere` for what is not in the file at all. */
  place?: Place | 'elsewhere'
}

/** Both counted from 1, as editors do. */
export interface Place {
  line: number
  column: number
}

/** `folders[0].settle_ms` */
export function pathText(path: Path): string {
  return path.map((key, at) => (typeof key === 'number' ? `[${key}]` : at === 0 ? key : `.${key}`)).join('')
}

/**
 * One line each, from the top of the file to its end; values are never part of it, a secret might have been put in the wrong
 * place.
 */
export function faultLines(
  faults: readonly Fault[],
  file?: string,
  placeOf: (path: Path) => Place | undefined = () => undefined,
): string[] {
  return faults
    .map((fault) => ({ ...fault, place: fault.place ?? placeOf(fault.path) }))
    .map((fault) => ({ ...fault, ...(typeof fault.place === 'object' ? fault.place : { line: 0, column: 0 }) }))
    .sort((a, b) => a.line - b.line || a.column - b.column)
    .map(({ path, message, place, line, column }) => {
      const where = place === 'elsewhere' ? [] : [file, ...(place ? [line, column] : [])]
      const parts = [where.filter((part) => part !== undefined).join(':'), pathText(path), message]
      return scrubText(parts.filter(Boolean).join(': '))
    })
}

/** Checks a value; answers the output, or every fault at once. */
export function check<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): { output: z.output<Schema>; faults: [] } | { output: undefined; faults: Fault[] } {
  // A process checks its configuration once or twice: compiling a checker for it costs more than it saves.
  const result = schema.safeParse(value, { reportInput: true, error: generalMessage, jitless: true })
  if (result.success) return { output: result.data, faults: [] }
  return { output: undefined, faults: result.error.issues.flatMap((issue) => faultsOf(issue, schema, [])) }
}

type Issue = z.core.$ZodIssue

function faultsOf(issue: Issue, root: z.ZodType, parent: Path): Fault[] {
  const path = [...parent, ...(issue.path as (string | number)[])]
  if (issue.code === 'unrecognized_keys') {
    const known = fieldsAt(root, path)
    return issue.keys.map((key) => ({ path: [...path, key], message: unknownField(key, known) }))
  }
  if (issue.code === 'invalid_union') {
    // A section among the alternatives that was begun and has faults inside is what was meant.
    const inside = issue.errors.find((issues) => issues.some(isInside))
    if (inside) return inside.flatMap((inner) => faultsOf(inner, root, path))
  }
  if (issue.code === 'invalid_key') return [{ path, message: issue.issues[0]?.message ?? issue.message }]
  const is_missing = issue.code === 'invalid_type' && issue.input === undefined
  return [{ path, message: is_missing ? 'is missing' : issue.message }]
}

function isInside(issue: Issue): boolean {
  return issue.path.length > 0 || issue.code === 'unrecognized_keys'
}

function unknownField(key: string, known: readonly string[]): string {
  const meant = didYouMean(key, known)
  return meant
    ? `there is no such field; did you mean ${meant}?`
    : `there is no such field; there are ${known.join(', ')}`
}

/** For what the schema has no words of its own. */
function generalMessage(issue: z.core.$ZodRawIssue): string {
  if (issue.code === 'invalid_type' && issue.expected === 'object') return 'must be a section with fields of its own'
  return 'is not as it should be'
}

/** The names of the fields that the schema knows at a path. */
function fieldsAt(schema: z.ZodType, path: Path): string[] {
  let here: z.ZodType | undefined = schema
  for (const key of path) here = here && step(here, key)
  const section = here && sectionOf(here)
  return section ? Object.keys(section.shape) : []
}

function step(schema: z.ZodType, key: string | number): z.ZodType | undefined {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodArray) return inner.element as z.ZodType
  return sectionOf(inner)?.shape[key] as z.ZodType | undefined
}

function sectionOf(schema: z.ZodType): z.ZodObject | undefined {
  const inner = unwrapped(schema)
  if (inner instanceof z.ZodObject) return inner
  if (inner instanceof z.ZodUnion) {
    return (inner.options as z.ZodType[]).map(sectionOf).find((section) => section !== undefined)
  }
  return undefined
}

/**
 * The schema of what is written: without defaults, transformations and the like around it.
 *
 * @internal
 */
export function unwrapped(schema: z.ZodType): z.ZodType {
  if (schema instanceof z.ZodPrefault || schema instanceof z.ZodOptional) return unwrapped(schema.unwrap() as z.ZodType)
  if (schema instanceof z.ZodPipe) return unwrapped(schema.in as z.ZodType)
  return schema
}
