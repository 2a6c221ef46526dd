import { hour_ms, second_ms } from '../base/time/time.ts'
import {
  type ErrorCode,
  type HttpAnswer,
  headerValue,
  isHtml,
  isKnownCode,
  readErrorAnswer,
  type SeenError,
} from './errors.ts'

/**
 * The cause of a failed call, as far as the answer alone shows it:
 * - `account`: the key.
 * - `project`: the project id or the right to it.
 * - `uploads`: uploads to this project, for example an unpaid bill, or a right that is missing.
 * - `right`: the service refuses this kind of call, for example a right is missing.
 * - `network`: a proxy or gateway on the way, not the service. Try again.
 * - `later`: the service, at the moment. Try again after `retry_after_ms`, or with a back-off.
 * - `content`: this request with this content. It is refused until it changes.
 * - `attempt`: only this attempt. Check the asset and go on from there; start a list anew.
 * - `slot_gone`: `complete` was answered 404 or 410. Read the record of the asset: it shows whether
 *   the slot is gone, or the service is faulty.
 * - `asset_gone`: the asset does not exist any more.
 * - `ticket`: the signed upload URL does not work. Ask for a new slot; the file is not the cause.
 * - `unknown_protocol`: an unknown answer. Try again with growing pauses, and report the answer.
 */
export type FailureAbout =
  | 'account'
  | 'project'
  | 'uploads'
  | 'right'
  | 'network'
  | 'later'
  | 'content'
  | 'attempt'
  | 'slot_gone'
  | 'asset_gone'
  | 'ticket'
  | 'unknown_protocol'

export interface Failure {
  about: FailureAbout
  call: Call
  status?: number | undefined
  /** The `code` of the error object, or the error code of a blob store. */
  code?: string | undefined
  /** The service's text for users: shown, never parsed. It is short, one line, without secrets. */
  humane?: string | undefined
  retry_after_ms?: number | undefined
  /**
   * True for an `account` failure of a call whose token has been replaced since. It says nothing
   * about the current token.
   */
  of_old_token?: true
  /** The address is wrong. A new token or project does not help, and no later try. */
  elsewhere?: Elsewhere | undefined
  /** The failure in words, without secrets. */
  message: string
}

/**
 * What answered in place of the service:
 * - `page`: a web page, of another program or a proxy.
 * - `path`: a service with this interface, which has nothing at this path.
 * - `other`: something whose answer does not follow this interface.
 */
export type Elsewhere = 'page' | 'path' | 'other'

/**
 * The kinds of calls whose failures are judged differently. `list` is about assets. `chat` starts
 * a chat or a turn, `message` reads one.
 */
export type Call =
  | 'create'
  | 'put'
  | 'complete'
  | 'read'
  | 'list'
  | 'attach'
  | 'detach'
  | 'rename'
  | 'labels'
  | 'remove'
  | 'chat'
  | 'message'
  | 'chats'
  | 'chat_title'
  | 'chat_remove'
  | 'skills'
  | 'projects'

const call_texts: Record<Call, string> = {
  create: 'when asked for an upload slot',
  put: 'when sent the bytes',
  complete: 'when asked to complete the upload',
  read: 'when asked for an asset',
  list: 'when asked for the list of assets',
  attach: 'when asked to attach a label',
  detach: 'when asked to detach a label',
  rename: 'when asked to rename an asset',
  labels: 'when asked for the list of labels',
  remove: 'when asked to remove an asset',
  chat: 'when asked a question',
  message: 'when asked for an answer',
  chats: 'when asked for the list of chats',
  chat_title: 'when asked to title a chat',
  chat_remove: 'when asked to remove a chat',
  skills: 'when asked for the list of skills',
  projects: 'when asked for the list of projects',
}

/**
 * Classifies an answer that is not a success, by the contract's table "What an error is about, and
 * what the client does". A code in `code_abouts` decides alone; otherwise the status, the beginning
 * of the code and the call decide. `now_ms` (wall clock) is for a Retry-After with a date.
 */
export function classifyAnswer(call: Call, answer: HttpAnswer, now_ms: number): Failure {
  const seen = readErrorAnswer(answer, call === 'put')
  const about = call === 'put' ? aboutBlob(answer.status) : aboutService(call, answer.status, seen)
  const elsewhere = elsewhereOf(call, about, answer.status, seen)
  return {
    about,
    call,
    status: answer.status,
    code: seen.code,
    humane: seen.humane,
    retry_after_ms: retryAfter_ms(answer.headers, now_ms),
    elsewhere,
    message: messageFor({ call, about, elsewhere }, answer.status, seen),
  }
}

/**
 * The failure for an answer that reports success but does not follow the contract. `what` names the
 * difference, but no value, which may be secret.
 */
export function unknownProtocol(call: Call, what: string, status?: number): Failure {
  return {
    about: 'unknown_protocol',
    call,
    status,
    message: `the service gave an answer that is not understood ${call_texts[call]}: ${what}`,
  }
}

const code_abouts: Partial<Record<ErrorCode, FailureAbout>> = {
  'publicapi.auth.invalid': 'account',
  'publicapi.tenancy.project.missing': 'project',
  'publicapi.tenancy.project.not_found': 'project',
  'publicapi.cursor.unknown': 'attempt',
  'publicapi.rate.limited': 'later',
  'publicapi.internal.failed': 'later',
  'publicapi.service.unavailable': 'later',
}

/**
 * The failure for an answer that reports success but has an unreadable body. A web page comes from
 * a captive portal or a proxy, so it counts as `network`.
 */
export function unreadableAnswer(call: Call, answer: HttpAnswer, what: string): Failure {
  if (!isHtml(answer)) return unknownProtocol(call, what, answer.status)
  return {
    about: 'network',
    call,
    status: answer.status,
    elsewhere: 'page',
    message: messageFor({ call, about: 'network', elsewhere: 'page' }, answer.status),
  }
}

/** Undefined if the answer may be that of the service which the address means. */
function elsewhereOf(
  call: Call,
  about: FailureAbout,
  status: number,
  { is_html, code = '', has_object }: SeenError,
): Elsewhere | undefined {
  // A gateway's page about a service that is busy is the service's own matter.
  if (is_html && page_abouts.includes(about)) return 'page'
  if (!no_such_call.includes(status) || !calls_without_item.includes(call)) return undefined
  if (code.startsWith('publicapi.route.')) return 'path'
  return has_object ? undefined : 'other'
}

const page_abouts: readonly FailureAbout[] = ['network', 'project', 'right']
const no_such_call: readonly number[] = [404, 405, 410, 501]
/** Their paths have no id that could be unknown. */
const calls_without_item: readonly Call[] = [
  'create',
  'list',
  'labels',
  'chat',
  'chats',
  'projects',
]

function aboutService(call: Call, status: number, seen: SeenError): FailureAbout {
  if (status < 400) return 'unknown_protocol'
  const { code = '' } = seen
  // The service has no such call.
  if (status === 501 && !decidesAboutUploads(call)) return 'right'
  const known = isKnownCode(code) ? code_abouts[code] : undefined
  if (known) return known
  if (isTransient(status)) return 'later'
  if (code.startsWith('publicapi.auth.')) return 'account'
  if (code.startsWith('publicapi.tenancy.')) return 'project'
  if (isGone(status) && (call === 'create' || call === 'list')) return 'project'
  // A web page is never the service's own answer, so it says nothing about an asset or a content.
  if (seen.is_html || status === 407) return 'network'
  if (status === 401) return seen.has_object ? 'account' : 'network'
  if (status === 402 || status === 403) return seen.has_object ? aboutRight(call) : 'network'
  if (isGone(status)) return aboutMissing(call, code)
  return aboutRefusal(call, status)
}

function aboutRight(call: Call): FailureAbout {
  return call === 'create' || call === 'complete' || call === 'read' ? 'uploads' : 'right'
}

function aboutMissing(call: Call, code: string): FailureAbout {
  // The service does not know the path of the call. The asset may still exist.
  if (code.startsWith('publicapi.route.'))
    return decidesAboutUploads(call) ? 'unknown_protocol' : 'right'
  return missing_abouts[call] ?? (decidesAboutUploads(call) ? 'asset_gone' : 'right')
}

const missing_abouts: Partial<Record<Call, FailureAbout>> = {
  complete: 'slot_gone',
  attach: 'asset_gone',
  detach: 'asset_gone',
  rename: 'asset_gone',
  remove: 'asset_gone',
  // The chat or an id in the scope is gone, so the question must change.
  chat: 'content',
  // On the hosted service, a new message cannot be read for a moment.
  message: 'later',
}

function aboutRefusal(call: Call, status: number): FailureAbout {
  const refused = status === 400 || status === 413 || status === 415 || status === 422
  if (call === 'complete') return refused || status === 409 ? 'attempt' : 'unknown_protocol'
  // Another caller has just changed the same thing. The next attempt finds its result.
  if (status === 409) return 'later'
  if (refused && contents_refused.includes(call)) return 'content'
  return decidesAboutUploads(call) ? 'unknown_protocol' : 'right'
}

const contents_refused: readonly Call[] = ['create', 'attach', 'rename', 'remove', 'chat']

/** True for a call without which no file can become ready. */
export function decidesAboutUploads(call: Call): boolean {
  return upload_calls.includes(call)
}

const upload_calls: readonly Call[] = ['create', 'put', 'complete', 'read', 'list']

/** The blob store knows neither accounts nor files, so its refusals are about the signed URL. */
function aboutBlob(status: number): FailureAbout {
  if (status < 400) return 'unknown_protocol'
  if (isTransient(status)) return 'later'
  return status === 407 ? 'network' : 'ticket'
}

function isTransient(status: number): boolean {
  return status === 408 || status === 425 || status === 429 || status >= 500
}

function isGone(status: number): boolean {
  return status === 404 || status === 410
}

function messageFor(
  { call, about, elsewhere }: Pick<Failure, 'call' | 'about' | 'elsewhere'>,
  status: number,
  { redirect_origin }: Partial<SeenError> = {},
): string {
  let who = call === 'put' ? 'the blob store' : 'the service'
  if (about === 'network') who = 'something on the way to the service (a proxy?)'
  if (call !== 'put' && elsewhere === 'page') who = 'a web page in place of the service'
  if (elsewhere === 'other') who = 'something in place of the service'
  const target =
    redirect_origin === undefined ? '' : `, a redirect to ${redirect_origin} that is not followed`
  return `${who} answered ${status} ${call_texts[call]}${target}`
}

/** The longest wait: a wrong digit in Retry-After must not stop a daemon for a year. */
const max_wait_ms = hour_ms

/**
 * Retry-After (RFC 9110, section 10.2.3) in milliseconds from now, at most `max_wait_ms`; undefined
 * if absent or unreadable. It has seconds or a date. A date is compared with the answer's own Date
 * header, so that a wrong clock here does no harm, or with `now_ms` if there is none.
 */
export function retryAfter_ms(headers: HttpAnswer['headers'], now_ms: number): number | undefined {
  const value = headerValue(headers, 'retry-after')?.trim()
  if (value === undefined) return undefined
  const wait_ms = /^\d+$/.test(value)
    ? Number(value) * second_ms
    : untilDate_ms(value, headers, now_ms)
  return wait_ms === undefined ? undefined : Math.min(Math.max(0, wait_ms), max_wait_ms)
}

/** The Date header in Unix milliseconds, by the sender's wall clock; undefined if unreadable. */
export function dateHeader_ms(headers: HttpAnswer['headers']): number | undefined {
  return httpDate_ms(headerValue(headers, 'date'))
}

function untilDate_ms(
  value: string,
  headers: HttpAnswer['headers'],
  now_ms: number,
): number | undefined {
  const due_ms = httpDate_ms(value)
  return due_ms === undefined ? undefined : due_ms - (dateHeader_ms(headers) ?? now_ms)
}

/**
 * Parses an HTTP date. IMF-fixdate and its two obsolete forms (RFC 9110, section 5.6.7) all begin
 * with the name of a day; any other text is refused.
 */
function httpDate_ms(value: string | undefined): number | undefined {
  if (value === undefined || !/^(Mon|Tue|Wed|Thu|Fri|Sat|Sun)/.test(value)) return undefined
  // The asctime form has no zone; every HTTP date is in GMT.
  const at_ms = Date.parse(/GMT$/.test(value) ? value : `${value} GMT`)
  return Number.isNaN(at_ms) ? undefined : at_ms
}
