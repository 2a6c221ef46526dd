import type { ErrorAnswer } from '../../base/net/http-server.ts'
import { codeOf, isSluiceError, messageOf, SluiceError } from '../../base/run/errors.ts'
import type { ErrorBody } from '../../contract/envelope.ts'
import { type ErrorCode, error_statuses, isKnownCode } from '../../contract/error-codes.ts'

/** An answer of the contract's own: its code decides the status, `humane` is for people. */
export function fault(code: ErrorCode, humane: string): SluiceError {
  return new SluiceError({ code, message: humane })
}

type Findable = 'asset' | 'chat' | 'label' | 'message' | 'project' | 'skill' | 'memory' | 'action' | 'session'

/** The row; where there is none, the fault that says so. */
export function found<Row>(row: Row | undefined, kind: Findable, id: string, where = 'in this project'): Row {
  if (row === undefined) throw fault(`publicapi.${kind}.not_found`, `There is no ${kind} ${id} ${where}.`)
  return row
}

/** What the one who runs the service has to put right, before it starts or a command does anything. */
export function refused(message: string, hint?: string, cause?: unknown): SluiceError {
  return new SluiceError({ code: 'config.service', message, hint, cause })
}

/** What HTTP itself has to complain about, in the contract's words (base/net/http-server). */
const http_codes: Record<string, ErrorCode> = {
  'http.path_unknown': 'publicapi.route.not_found',
  'http.method_wrong': 'publicapi.route.wrong_method',
  'http.media_type': 'publicapi.body.media_type',
  'http.body_too_large': 'publicapi.body.too_large',
  'http.body_invalid': 'publicapi.body.invalid',
  'http.malformed': 'publicapi.request.malformed',
}

/** Seconds. Whoever locks the database (a copy, a tool of SQLite) mostly does so for seconds. */
export const locked_retry_after_s = '2'

/**
 * Another process holds the database's lock: nothing is wrong with the request, and later it works
 * (A-35).
 */
export function isLocked(error: unknown): boolean {
  return isSluiceError(error, 'database.locked') || codeOf(error)?.startsWith('SQLITE_BUSY') === true
}

export interface FaultAnswers {
  blank_codes: ReadonlySet<ErrorCode>
  log: (line: string) => void
}

/** Every error as the contract's object; what nobody foresaw is a 500 that tells the caller nothing of our inside. */
export function answerFault(error: unknown, { blank_codes, log }: FaultAnswers): ErrorAnswer {
  if (isLocked(error)) {
    log(`a request has to wait: ${messageOf(error)}`)
    const humane = 'The service cannot write now: another process uses its data.'
    const headers = { 'retry-after': locked_retry_after_s }
    return { ...errorAnswer('publicapi.service.unavailable', humane), headers }
  }
  const code = isSluiceError(error) ? (http_codes[error.code] ?? error.code) : ''
  if (!isKnownCode(code)) {
    log(`a request failed: ${messageOf(error)}`)
    return errorAnswer('publicapi.internal.failed', 'The service failed. Its log says why.')
  }
  if (blank_codes.has(code))
    return { status: error_statuses[code], body: { code: '', statusCode: error_statuses[code] } }
  return errorAnswer(code, messageOf(error))
}

function errorAnswer(code: ErrorCode, humane: string): ErrorAnswer {
  const status = error_statuses[code]
  return { status, body: { code, humane, statusCode: status } satisfies ErrorBody }
}
