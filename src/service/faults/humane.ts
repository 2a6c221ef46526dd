import type { z } from 'zod'

/** Further texts of `publicapi.request.malformed`. */
export const gate_texts = {
  several_hosts: 'The request has more than one Host header.',
  other_host: 'The Host header does not name this service.',
  other_origin: 'Web pages of this Origin may not call this service (--allow-origin).',
} as const

/**
 * What is wrong with the type of a field, by the type that the validator expects.
 *
 * @internal
 */
export const type_texts: Readonly<Record<string, string>> = {
  string: 'must be text',
  number: 'must be a number',
  int: 'must be a whole number',
  boolean: 'must be true or false',
  array: 'must be a list',
  object: 'must be an object',
}

/** Texts of other faults of a field. The schemas of the contract have further texts. */
export const finding_texts = {
  missing: 'is missing',
  empty: 'is empty',
  unknown_field: 'has an unknown field "{key}"',
  choice: 'must be one of these: {choice}',
  minimum: 'must be at least {limit}',
  maximum: 'must be at most {limit}',
  max_entries: 'must have at most {limit} entries',
  max_characters: 'must have at most {limit} characters',
  email: 'must be an e-mail address',
  other: 'is not valid',
} as const

type Values = Readonly<Record<string, string | number>>

/** Characters. Names have up to 255, and a sentence must stay readable. */
const max_value_length = 64

/** Fills the values into a text. A long value is cut. */
export function fillText(text: string, values: Values): string {
  return text.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = String(values[name] ?? '')
    return value.length > max_value_length ? `${value.slice(0, max_value_length)}…` : value
  })
}

/** A sentence about the field at this path; `whole` names the value itself. */
export function fieldSentence(
  whole: string,
  path: readonly PropertyKey[],
  finding: string,
): string {
  const words = path.map((part) =>
    typeof part === 'number'
      ? `entry ${part + 1}`
      : `the ${String(part).replaceAll(/_(?!by$)/g, ' ')}`,
  )
  const subject = words.length > 0 ? words.toReversed().join(' of ') : `the ${whole}`
  return `${subject[0]?.toUpperCase()}${subject.slice(1)} ${finding}.`
}

/** Takes the place of the validator's own messages, which are for programmers. */
export function findingOf(issue: z.core.$ZodRawIssue): string {
  const {
    missing,
    empty,
    choice,
    unknown_field,
    minimum,
    maximum,
    max_entries,
    max_characters,
    email,
    other,
  } = finding_texts
  switch (issue.code) {
    case 'invalid_type':
      if (issue.input === undefined) return missing
      // For other values than numbers, the validator expects a number here, too.
      if ((issue.inst?._zod.def as { format?: string } | undefined)?.format === 'safeint')
        return type_texts.int!
      return type_texts[issue.expected] ?? other
    case 'invalid_value':
      return fillText(choice, { choice: issue.values.join(', ') })
    case 'unrecognized_keys':
      return fillText(unknown_field, { key: issue.keys[0] ?? '' })
    case 'too_small':
      return issue.origin === 'array' ? empty : fillText(minimum, { limit: Number(issue.minimum) })
    case 'too_big': {
      const texts: Readonly<Record<string, string>> = { array: max_entries, string: max_characters }
      return fillText(texts[issue.origin] ?? maximum, { limit: Number(issue.maximum) })
    }
    default:
      return issue.code === 'invalid_format' && issue.format === 'email' ? email : other
  }
}
