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
   * True for the contract's error object. An empty `code` and a missing `humane` are allowed,
   * because both have been seen.
   */
  has_object: boolean
  is_html: boolean
  code?: string
  humane?: string
  /** The origin of a redirect's target. The rest is left out, because it may be a secret. */
  redirect_origin?: string
}

/** Enough for three sentences; a longer text is not for users. */
const max_humane_length = 300

/**
 * Reads an error answer. `from_blob`: only the error code is taken from a blob store's XML, because
 * the rest quotes the signed request.
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
  if (typeof value === 'string') Object.assign(seen, humaneOf(value))
  if (typeof value !== 'object' || value === null) return seen
  const { code, humane, statusCode } = value as Record<string, unknown>
  seen.has_object = typeof code === 'string' || statusCode === answer.status
  if (typeof code === 'string' && code.length <= 128 && error_code_pattern.test(code)) seen.code = code
  if (typeof humane === 'string') Object.assign(seen, humaneOf(humane))
  return seen
}

/** A header as one string; of a repeated header, the first value. */
export function headerValue(headers: HttpAnswer['headers'], name: string): string | undefined {
  const value = headers[name]
  return Array.isArray(value) ? value[0] : value
}

function humaneOf(text: string): { humane?: string } {
  const clean = scrubText(text)
    .replace(/[\p{Cc}\p{Cf}\s]+/gu, ' ')
    .trim()
  if (clean === '') return {}
  return { humane: clean.length > max_humane_length ? `${clean.slice(0, max_humane_length - 1)}…` : clean }
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

/** Undefined if it is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
