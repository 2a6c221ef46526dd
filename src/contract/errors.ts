import { scrubText } from '../base/text/scrub.ts'
import { error_code_pattern } from './identifiers.ts'

/** The parts of an answer that decide about a failure. Header names in lower case. */
export interface HttpAnswer {
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  body: string
}

/** The readable parts of an error answer. */
export interface SeenError {
  /**
   * True if the body is the contract's error object. It may have an empty `code` and no `humane`,
   * because both have been seen on the hosted service.
   */
  has_object: boolean
  is_html: boolean
  code?: string
  humane?: string
  /** The origin of a redirect's target. The rest is left out, because it may be a secret. */
  redirect_origin?: string
}

/** Characters. Enough for three sentences; a longer text is not for users, and is cut. */
const max_humane_length = 300

/**
 * Reads an error answer. `from_blob`: the body is a blob store's XML. Only its error code is taken,
 * because the rest quotes the signed request.
 */
export function readErrorAnswer(answer: HttpAnswer, from_blob: boolean): SeenError {
  const seen: SeenError = { has_object: false, is_html: isHtml(answer) }
  const redirect_origin = redirectOrigin(answer)
  if (redirect_origin !== undefined) seen.redirect_origin = redirect_origin
  if (from_blob) {
    const code = /<Code>([A-Za-z]{1,64})<\/Code>/.exec(answer.body)?.[1]
    if (code !== undefined) seen.code = code
    return seen
  }
  const value = parseJson(answer.body)
  const fields = typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : undefined
  const humane = humaneOf(fields ? fields.humane : value)
  if (humane !== undefined) seen.humane = humane
  if (!fields) return seen
  const { code, statusCode } = fields
  seen.has_object = typeof code === 'string' || statusCode === answer.status
  if (typeof code === 'string' && code.length <= 128 && error_code_pattern.test(code)) seen.code = code
  return seen
}

/** A header as one string; of a repeated header, the first value. */
export function headerValue(headers: HttpAnswer['headers'], name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

/** A text for users: short, one line, without secrets. Undefined if the value is no such text. */
export function humaneOf(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined
  const clean = scrubText(value)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  if (clean === '') return undefined
  return clean.length > max_humane_length ? `${clean.slice(0, max_humane_length - 1)}…` : clean
}

/** True for a web page, which is never the service's own answer. */
export function isHtml({ headers, body }: HttpAnswer): boolean {
  return /^text\/html\b/i.test(headerValue(headers, 'content-type') ?? '') || /^\s*<(!doctype|html)\b/i.test(body)
}

function redirectOrigin({ status, headers }: HttpAnswer): string | undefined {
  const location = headerValue(headers, 'location')
  if (status < 300 || status > 399 || location === undefined || !URL.canParse(location)) return undefined
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
 * The error codes of the local service, and their HTTP status. `publicapi.auth.invalid` and
 * `publicapi.tenancy.project.missing` come from the specification (S); the others are ours (L), in
 * the same form. The service uses the statuses of S (400, 401, 404, 500). It also uses 429 for
 * limited requests, and 503 while the database is locked; fault injection can use both.
 * Codes are added, but never changed or removed.
 */
export const error_statuses = {
  'publicapi.auth.invalid': 401,
  'publicapi.tenancy.project.missing': 400,
  'publicapi.tenancy.project.not_found': 404,

  'publicapi.request.malformed': 400,
  'publicapi.route.not_found': 404,
  'publicapi.route.wrong_method': 404,
  'publicapi.path.invalid': 400,
  'publicapi.query.invalid': 400,
  'publicapi.cursor.unknown': 400,
  'publicapi.body.invalid': 400,
  'publicapi.body.too_large': 400,
  'publicapi.body.media_type': 400,

  'publicapi.asset.not_found': 404,
  'publicapi.asset.create.md5_malformed': 400,
  'publicapi.asset.complete.bytes_missing': 400,
  'publicapi.asset.complete.md5_differs': 400,
  'publicapi.asset.update.not_ready': 400,

  'publicapi.label.not_found': 404,
  'publicapi.label.name_taken': 400,

  'publicapi.chat.not_found': 404,
  'publicapi.chat.scope.unreachable': 404,
  'publicapi.chat.skill.unknown': 400,
  'publicapi.message.not_found': 404,

  'publicapi.tenancy.role.insufficient': 400,
  'publicapi.tenancy.role.last_owner': 400,
  'publicapi.project.not_found': 404,
  'publicapi.invitation.not_found': 404,
  'publicapi.chat.skill.disabled': 400,
  'publicapi.skill.not_found': 404,
  'publicapi.skill.name_taken': 400,
  'publicapi.memory.not_found': 404,
  'publicapi.action.not_found': 404,
  'publicapi.action.timing': 400,
  'publicapi.session.not_found': 404,

  'publicapi.rate.limited': 429,
  'publicapi.internal.failed': 500,
  'publicapi.service.unavailable': 503,
} as const satisfies Record<string, number>

export type ErrorCode = keyof typeof error_statuses

export function isKnownCode(code: string): code is ErrorCode {
  return Object.hasOwn(error_statuses, code)
}
