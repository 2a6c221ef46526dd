import type { ErrorAnswer } from '../../base/net/http-server.ts'
import { codeOf, isSluiceError, messageOf, SluiceError } from '../../base/run/errors.ts'
import type { ErrorBody } from '../../contract/envelope.ts'
import { api_errors, type ErrorCode, isKnownCode } from '../../contract/errors.ts'
import { fillText } from './humane.ts'

/** An error answer of the contract. Its code decides the status and, unless given, the text. */
export function fault(
  code: ErrorCode,
  values = {},
  text: string = api_errors[code][1],
): SluiceError {
  return new SluiceError({ code, message: fillText(text, values) })
}

type Findable =
  | 'asset'
  | 'chat'
  | 'label'
  | 'message'
  | 'project'
  | 'skill'
  | 'memory'
  | 'action'
  | 'session'

/** Returns the row, or throws the fault that it was not found. */
export function found<Row>(row: Row | undefined, kind: Findable, id: string): Row {
  if (row === undefined) throw fault(`publicapi.${kind}.not_found`, { id })
  return row
}

/** The error `config.service`: the operator must change something, then start or call again. */
export function refused(message: string, hint?: string, cause?: unknown): SluiceError {
  return new SluiceError({ code: 'config.service', message, hint, cause })
}

/** The contract's codes for faults of HTTP itself, by the codes of base/net/http-server. */
const http_codes: Record<string, ErrorCode> = {
  'http.path_unknown': 'publicapi.route.not_found',
  'http.method_wrong': 'publicapi.route.wrong_method',
  'http.media_type': 'publicapi.body.media_type',
  'http.body_too_large': 'publicapi.body.too_large',
  'http.body_invalid': 'publicapi.body.invalid',
  'http.malformed': 'publicapi.request.malformed',
}

/** In seconds. A copy or a tool of SQLite mostly locks the database for seconds only. */
export const locked_retry_after_s = '2'

/** True if another process has locked the database. The request is fine and works later. */
export function isLocked(error: unknown): boolean {
  return (
    isSluiceError(error, 'database.locked') || codeOf(error)?.startsWith('SQLITE_BUSY') === true
  )
}

export interface FaultAnswers {
  blank_codes: ReadonlySet<ErrorCode>
  log: (line: string) => void
}

/**
 * Makes the error object of the contract for any error. A locked database is a 503, an
 * unexpected error a 500 whose message goes only to the log.
 */
export function answerFault(error: unknown, { blank_codes, log }: FaultAnswers): ErrorAnswer {
  if (isLocked(error)) {
    log(`a request must be repeated: ${messageOf(error)}`)
    const headers = { 'retry-after': locked_retry_after_s }
    return { ...errorAnswer('publicapi.service.unavailable'), headers }
  }
  const own_code = isSluiceError(error) ? error.code : ''
  const code = http_codes[own_code] ?? own_code
  if (!isKnownCode(code)) {
    log(`a request failed: ${messageOf(error)}`)
    return errorAnswer('publicapi.internal.failed')
  }
  const [status] = api_errors[code]
  if (blank_codes.has(code)) return { status, body: { code: '', statusCode: status } }
  // A fault of HTTP has the words of a parser, which are for programmers.
  return errorAnswer(code, own_code === code ? messageOf(error) : undefined)
}

function errorAnswer(code: ErrorCode, humane: string = api_errors[code][1]): ErrorAnswer {
  const [status] = api_errors[code]
  return { status, body: { code, humane, statusCode: status } satisfies ErrorBody }
}
