import { scrubText } from '../base/text/scrub.ts'
import { error_code_pattern } from './identifiers.ts'

/** The parts of an answer that decide about a failure. Header names in lower case. */
export interface HttpAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** Characters. Enough for three sentences; a longer text is not for users, and is cut. */
const max_humane_length = 300

/** The readable parts of an error answer. */
export type SeenError = ReturnType<typeof readErrorAnswer>

/**
 * Reads an error answer. `from_blob`: the body is a blob store's XML. Only its error code is taken,
 * because the rest quotes the signed request.
 */
export function readErrorAnswer(answer: HttpAnswer, from_blob: boolean) {
  const value = from_blob ? undefined : parseJson(answer.body)
  const fields =
    typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  const { code, statusCode } = fields ?? {}
  const is_code = typeof code === 'string' && code.length <= 128 && error_code_pattern.test(code)
  const blob_code = from_blob ? /<Code>([A-Za-z]{1,64})<\/Code>/.exec(answer.body)?.[1] : undefined
  return {
    /**
     * True if the body is the contract's error object. It may have an empty `code` and no `humane`,
     * because both have been seen on the hosted service.
     */
    has_object: typeof code === 'string' || statusCode === answer.status,
    is_html: isHtml(answer),
    code: is_code ? code : blob_code,
    humane: humaneOf(fields ? fields.humane : value),
    /** The origin of a redirect's target. The rest is left out, because it may be a secret. */
    redirect_origin: redirectOrigin(answer),
  }
}

/** A header as one string; of a repeated header, the first value. */
export function headerValue(headers: HttpAnswer['headers'], name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/**
 * Code of a failed ingest of a file without a word of its own: pictures only, or an empty form. It
 * is in no error answer.
 */
export const no_text_code = 'publicapi.asset.ingest.no_text'

/**
 * Code of a failed ingest of a file in a form for programs, such as a key in armour, whose name
 * says another kind. It says nothing about that kind.
 */
export const wire_form_code = 'publicapi.asset.ingest.wire_form'

/**
 * Code of a failed ingest of a file that needs a program which the service's machine does not have.
 * It says nothing about the kind: once the program is there, the same file can be read.
 */
export const needs_program_code = 'publicapi.asset.ingest.needs_program'

/**
 * A text for users: short, one line, without secrets, and without a full stop at its end, because
 * other words follow it. Undefined if the value is no such text.
 */
export function humaneOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const clean = scrubText(value)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
    .replace(/\.$/, '')
  if (clean === '') return undefined
  return clean.length > max_humane_length ? `${clean.slice(0, max_humane_length - 1)}…` : clean
}

/** True for a web page, which is never the service's own answer. */
export function isHtml({ headers, body }: HttpAnswer): boolean {
  return (
    /^text\/html\b/i.test(headerValue(headers, 'content-type') ?? '') ||
    /^\s*<(!doctype|html)\b/i.test(body)
  )
}

function redirectOrigin({ status, headers }: HttpAnswer): string | undefined {
  const location = headerValue(headers, 'location')
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location))
    return undefined
  const { origin } = new URL(location)
  return origin === 'null' ? undefined : origin
}

/** The value, or undefined if the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/**
 * The error codes of the local service: HTTP status, and the text for end users, in which `{name}`
 * stands for a value. `publicapi.auth.invalid` and `publicapi.tenancy.project.missing` come from
 * the specification (S); the others are ours (L), in the same form. The service uses the statuses
 * of S (400, 401, 404, 500). It also uses 429 for limited requests, and 503 while the database is
 * locked; fault injection can use both. Codes are added, but never changed or removed.
 */
export const api_errors = {
  'publicapi.auth.invalid': [401, 'The API key is missing, malformed, unknown or revoked.'],
  'publicapi.tenancy.project.missing': [400, 'X-Project-Id is missing, or is not a project id.'],
  'publicapi.tenancy.project.not_found': [404, 'This key has no access to a project with this id.'],

  'publicapi.request.malformed': [400, 'This is not a request that can be read as HTTP.'],
  'publicapi.route.not_found': [404, 'There is nothing at this address.'],
  'publicapi.route.wrong_method': [404, 'This address exists, but not for this method.'],
  'publicapi.path.invalid': [400, 'The address has a malformed id.'],
  'publicapi.query.invalid': [400, 'The query is not valid.'],
  'publicapi.cursor.unknown': [400, 'This list has no item {id}.'],
  'publicapi.body.invalid': [400, 'The body is not valid JSON in UTF-8.'],
  'publicapi.body.too_large': [400, 'The body is too large.'],
  'publicapi.body.media_type': [400, 'The body must have the type application/json.'],

  'publicapi.asset.not_found': [404, 'There is no asset {id} in this project.'],
  'publicapi.asset.create.md5_malformed': [400, 'The md5 must be 32 hexadecimal digits.'],
  'publicapi.asset.complete.bytes_missing': [
    400,
    'This slot has no bytes yet: upload them before you complete it.',
  ],
  'publicapi.asset.complete.md5_differs': [
    400,
    'The MD5 of the uploaded bytes is not the declared one.',
  ],
  'publicapi.asset.update.not_ready': [400, 'This asset is not ready yet.'],

  'publicapi.label.not_found': [404, 'There is no label {id} in this project.'],
  'publicapi.label.name_taken': [
    400,
    'Another label of this project is called {name}: choose another name.',
  ],

  'publicapi.chat.not_found': [404, 'There is no chat {id} in this project.'],
  'publicapi.chat.scope.unreachable': [404, 'This key has no access to {id}.'],
  'publicapi.chat.skill.unknown': [400, 'You have no skill called {name}.'],
  'publicapi.message.not_found': [404, 'There is no message {id} in this chat.'],

  'publicapi.tenancy.role.insufficient': [
    400,
    'This needs the role {needed} in the project; yours is {role}.',
  ],
  'publicapi.tenancy.role.last_owner': [
    400,
    'This member is the only owner of the project: make another member an owner first.',
  ],
  'publicapi.project.create.limited_key': [
    400,
    'This key is limited to certain projects and cannot make another one: use a key without this limit.',
  ],
  'publicapi.project.not_found': [404, 'There is no project {id} within reach.'],
  'publicapi.invitation.not_found': [404, 'There is no invitation {id} in this project.'],
  'publicapi.chat.skill.disabled': [400, 'The skill {name} is disabled.'],
  'publicapi.skill.not_found': [404, 'There is no skill {id} in this project.'],
  'publicapi.skill.name_taken': [400, 'Another skill is called {name}: choose another name.'],
  'publicapi.skill.built_in': [400, 'The skill {name} belongs to the service: it stays as it is.'],
  'publicapi.memory.not_found': [404, 'There is no memory {id} in this project.'],
  'publicapi.action.not_found': [404, 'There is no action {id} in this project.'],
  'publicapi.action.timing': [400, 'There is no time zone {name}.'],
  'publicapi.session.not_found': [404, 'There is no session {id} in this project.'],

  'publicapi.rate.limited': [429, 'Too many requests: try again in {seconds} s.'],
  'publicapi.internal.failed': [500, 'The service failed. Its log says why.'],
  'publicapi.service.unavailable': [
    503,
    'The service cannot write now: another process uses its data.',
  ],
} as const satisfies Record<string, readonly [status: number, humane: string]>

export type ErrorCode = keyof typeof api_errors

export function isKnownCode(code: string): code is ErrorCode {
  return Object.hasOwn(api_errors, code)
}
