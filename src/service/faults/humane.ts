import type { z } from 'zod'
import type { ErrorCode } from '../../contract/errors.ts'

/** The texts of errors for end users. `{name}` stands for a value. */
export const humane_texts: Readonly<Record<ErrorCode, string>> = {
  'publicapi.auth.invalid': 'The API key is missing, malformed, unknown or revoked.',
  'publicapi.tenancy.project.missing': 'X-Project-Id is missing, or is not a project id.',
  'publicapi.tenancy.project.not_found': 'This key has no access to a project with this id.',

  'publicapi.request.malformed': 'This is not a request that can be read as HTTP.',
  'publicapi.route.not_found': 'There is nothing at this address.',
  'publicapi.route.wrong_method': 'This address exists, but not for this method.',
  'publicapi.path.invalid': 'The address has a malformed id.',
  'publicapi.query.invalid': 'The query is not valid.',
  'publicapi.cursor.unknown': 'This list has no item {id}.',
  'publicapi.body.invalid': 'The body is not valid JSON in UTF-8.',
  'publicapi.body.too_large': 'The body is too large.',
  'publicapi.body.media_type': 'The body must have the type application/json.',

  'publicapi.asset.not_found': 'There is no asset {id} in this project.',
  'publicapi.asset.create.md5_malformed': 'The md5 must be 32 hexadecimal digits.',
  'publicapi.asset.complete.bytes_missing': 'This slot has no bytes yet: upload them before you complete it.',
  'publicapi.asset.complete.md5_differs': 'The MD5 of the uploaded bytes is not the declared one.',
  'publicapi.asset.update.not_ready': 'This asset is not ready yet.',

  'publicapi.label.not_found': 'There is no label {id} in this project.',
  'publicapi.label.name_taken': 'Another label of this project is called {name}: choose another name.',

  'publicapi.chat.not_found': 'There is no chat {id} in this project.',
  'publicapi.chat.scope.unreachable': 'This key has no access to {id}.',
  'publicapi.chat.skill.unknown': 'You have no skill called {name}.',
  'publicapi.chat.skill.disabled': 'The skill {name} is disabled.',
  'publicapi.message.not_found': 'There is no message {id} in this chat.',

  'publicapi.tenancy.role.insufficient': 'This needs the role {needed} in the project; yours is {role}.',
  'publicapi.tenancy.role.last_owner':
    'This member is the only owner of the project: make another member an owner first.',
  'publicapi.project.not_found': 'There is no project {id} within reach.',
  'publicapi.invitation.not_found': 'There is no invitation {id} in this project.',
  'publicapi.skill.not_found': 'There is no skill {id} in this project.',
  'publicapi.skill.name_taken': 'Another skill is called {name}: choose another name.',
  'publicapi.memory.not_found': 'There is no memory {id} in this project.',
  'publicapi.action.not_found': 'There is no action {id} in this project.',
  'publicapi.action.timing': 'There is no time zone {name}.',
  'publicapi.session.not_found': 'There is no session {id} in this project.',

  'publicapi.rate.limited': 'Too many requests: try again in {seconds} s.',
  'publicapi.internal.failed': 'The service failed. Its log says why.',
  'publicapi.service.unavailable': 'The service cannot write now: another process uses its data.',
}

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
export function fieldSentence(whole: string, path: readonly PropertyKey[], finding: string): string {
  if (path.length === 0) return `The ${whole} ${finding}.`
  const name = String(path.findLast((part) => typeof part === 'string') ?? whole).replaceAll('_', ' ')
  const last = path.at(-1)
  const subject = typeof last === 'number' ? `Entry ${last + 1} of the ${name}` : `The ${name}`
  return `${subject}${path.length > 1 ? ` (${path.map(String).join('.')})` : ''} ${finding}.`
}

/** Takes the place of the validator's own messages, which are for programmers. */
export function findingOf(issue: z.core.$ZodRawIssue): string {
  const { missing, empty, choice, unknown_field, minimum, maximum, max_entries, max_characters, email, other } =
    finding_texts
  switch (issue.code) {
    case 'invalid_type':
      return issue.input === undefined ? missing : (type_texts[issue.expected] ?? other)
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
