import type { z } from 'zod'
import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { formatCount, printable } from '../../base/text/format.ts'
import { type Path, pathText } from '../../config/faults.ts'
import type { Tool } from './tool.ts'

type Issue = z.core.$ZodRawIssue

/** Types of JSON, as a schema calls them. */
const kinds: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  array: 'a list',
  object: 'an object',
  record: 'an object',
}

/** The arguments of a call, with defaults. Error `usage.invalid`: all faults, for a model. */
export function checkedArguments<Input extends z.ZodObject>(
  { name, input }: Pick<Tool<Input>, 'name' | 'input'>,
  given: unknown,
): z.output<Input> {
  const { data, error } = input.safeParse(given, { error: faultOf, reportInput: true })
  if (data) return data
  const known = Object.keys(input.shape).join(', ')
  const lines = error!.issues.flatMap((issue) => {
    if (issue.code !== 'unrecognized_keys') return faultText(issue, input)
    const keys = issue.keys.map((key) => printable(key))
    return keys.map((key) => `the tool ${name} has no argument ${key}; its arguments: ${known}`)
  })
  throw new SluiceError({ code: 'usage.invalid', message: lines.join('\n') })
}

function faultText({ path, message, code, input }: z.core.$ZodIssue, { shape }: z.ZodObject) {
  const text = `${pathText(path as Path)} ${message}`
  const is_given = input !== undefined && code !== 'too_small'
  const wanted = shape[path[0] as string]?.description
  return is_given || path.length > 1 || wanted === undefined ? text : `${text}: give ${wanted}`
}

/** Says what is wrong with a value, where its schema has no words of its own. */
function faultOf(issue: Issue): string {
  if (issue.code === 'invalid_type')
    return issue.input === undefined ? 'is missing' : `must be ${kinds[issue.expected]}`
  if (issue.code === 'too_small') return 'is empty'
  if (issue.code !== 'too_big') return 'is not as it should be'
  const what = issue.origin === 'array' ? 'entries' : 'characters'
  return `has more than ${formatCount(Number(issue.maximum))} ${what}`
}

/** The package answers wrong parameters with the faults of its schema as JSON, some with -32603. */
const dump = /^(?:Invalid \S+ request: )?(\[\s[\s\S]*\])$/

/** The same in a sentence; undefined for any other error. */
export function plainFault(method: string, error: unknown): string | undefined {
  const faults = dump.exec(messageOf(error))?.[1]
  if (faults === undefined) return undefined
  const texts = (JSON.parse(faults) as { path: Path; expected?: string; message: string }[]).map(
    ({ path, expected = '', message }) => {
      const what = pathText(path.slice(1)) || 'params'
      const kind = kinds[expected] ?? 'as the protocol says'
      return /undefined$/.test(message) ? `${what} is missing` : `${what} must be ${kind}`
    },
  )
  return `${method}: ${texts.join('; ')}`
}
