import type { HttpClient, HttpResponse } from '../base/net/http-client.ts'
import { isLoopbackHost } from '../base/net/loopback.ts'
import { isSluiceError, SluiceError } from '../base/run/errors.ts'
import type { Clock } from '../base/time/time.ts'
import { isHtml } from '../contract/errors.ts'
import {
  type Call,
  classifyAnswer,
  dateHeader_ms,
  type Failure,
  unreadableAnswer,
} from '../contract/failures.ts'
import { api_key_header, project_header } from '../contract/identifiers.ts'
import { OddAnswer, type Outcome, present, withoutSecrets } from './outcome.ts'

export interface ApiRequest {
  /** Decides how a failure of this call is judged. */
  call: Call
  method: 'GET' | 'POST' | 'DELETE'
  /** Absent if the call is not about one project. */
  project_id: string | undefined
  /** Path segments below /v1, unescaped. */
  segments: readonly string[]
  query?: Readonly<Record<string, string | number | undefined>>
  /** An object is sent as JSON. A text is sent unchanged, because it is JSON already. */
  body?: object | string | undefined
  /** True: any body of a success is accepted and not read, unless it is a web page. */
  any_body?: boolean
}

/** Reads a success; an empty body is `undefined`. Throws OddAnswer if it breaks the contract. */
export type Reader<T> = (value: unknown, status: number) => T

export interface ApiOptions {
  http: HttpClient
  base: BaseAddress
  token: () => string
  user_agent: string
  clock: Clock
}

/** Characters allowed in a header; any other would make the request fail midway. */
const sendable_token = /^[\x21-\x7e]+$/

/** Only this sends the token, only to `base`: ids are escaped, and no redirect is followed. */
export async function callApi<T>(
  options: ApiOptions,
  request: ApiRequest,
  read: Reader<T>,
): Promise<Outcome<T>> {
  const { call, method, project_id, segments, query, body } = request
  const token = readToken(options.token)
  if (typeof token !== 'string') return { ok: false, failure: { call, ...token } }
  let response: HttpResponse
  try {
    response = await options.http.request({
      method,
      url: apiUrl(options.base, segments, query),
      headers: {
        [api_key_header]: token,
        ...(project_id === undefined ? {} : { [project_header]: project_id }),
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': options.user_agent,
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      body: body === undefined || typeof body === 'string' ? body : JSON.stringify(body),
    })
  } catch (error) {
    return { ok: false, failure: withoutSecrets(networkFailure(call, error), [token]) }
  }
  const outcome = judge(request, response, options.clock.now_ms(), read)
  if (outcome.ok) return outcome
  const failure = withoutSecrets(outcome.failure, [token])
  const is_of_old_token = failure.about === 'account' && readToken(options.token) !== token
  return { ok: false, failure: is_of_old_token ? { ...failure, of_old_token: true } : failure }
}

/** Turns a network fault into a failure; rethrows any other error. */
export function networkFailure(call: Call, error: unknown): Failure {
  if (!isSluiceError(error) || !error.code.startsWith('network.')) throw error
  return { about: 'network', call, code: error.code, message: error.message }
}

export function isSuccess(status: number): boolean {
  return status >= 200 && status <= 299
}

function judge<T>(
  request: ApiRequest,
  response: HttpResponse,
  now_ms: number,
  read: Reader<T>,
): Outcome<T> {
  const { call, any_body = false } = request
  const { status, headers } = response
  if (!isSuccess(status)) return { ok: false, failure: classifyAnswer(call, response, now_ms) }
  const date_ms = dateHeader_ms(headers)
  try {
    const value = read(parseBody(response, any_body), status)
    return { ok: true, value, ...(date_ms === undefined ? {} : { date_ms }) }
  } catch (error) {
    if (!(error instanceof OddAnswer)) throw error
    const { message, code } = error
    return {
      ok: false,
      failure: { ...unreadableAnswer(call, response, message), ...present({ code }) },
    }
  }
}

/** The value of a success; `undefined` for an empty body, and for one that is not read. */
function parseBody(response: HttpResponse, any_body: boolean): unknown {
  const { body, truncated, undecoded } = response
  if (any_body && !isHtml(response)) return undefined
  if (undecoded !== undefined) throw new OddAnswer(undecoded)
  if (truncated) throw new OddAnswer('it is larger than any that is expected')
  if (body.trim() === '') return undefined
  try {
    return JSON.parse(body)
  } catch {
    throw new OddAnswer('it is not JSON')
  }
}

/** The token, or a failure of the account (not of the file) if there is none. */
function readToken(token: () => string): string | Omit<Failure, 'call'> {
  try {
    const value = token()
    if (sendable_token.test(value)) return value
    return {
      about: 'account',
      code: 'token.malformed',
      message: 'the token holds characters that cannot be sent',
    }
  } catch (error) {
    if (!(error instanceof SluiceError)) throw error
    return { about: 'account', code: error.code, message: error.message }
  }
}

/** The service's address: prefix of every path, and the only origin that gets the token. */
export interface BaseAddress {
  origin: string
  /** Empty, or a path that begins with a slash and does not end in one. */
  prefix: string
}

/** Error `config.base_url`, which quotes nothing, because the address may hold a password. */
export function parseBaseUrl(base_url: string): BaseAddress {
  if (!URL.canParse(base_url)) throw oddBaseUrl('it is not a URL')
  const url = new URL(base_url)
  if (url.username !== '' || url.password !== '')
    throw oddBaseUrl('it holds a user name or a password')
  if (url.search !== '' || url.hash !== '') throw oddBaseUrl('it has a query or a fragment')
  if (!isSafe(url))
    throw oddBaseUrl(
      `${url.protocol}// is refused for ${url.hostname}: the token would travel in the clear`,
    )
  return { origin: url.origin, prefix: url.pathname.replace(/\/+$/, '') }
}

/** The address of an upload; undefined if no bytes may be sent there. */
export function parseUploadUrl(upload_url: string): URL | undefined {
  if (!URL.canParse(upload_url)) return undefined
  const url = new URL(upload_url)
  return isSafe(url) && url.username === '' && url.password === '' ? url : undefined
}

/**
 * Escapes each segment, so that an id cannot leave its place in the path.
 *
 * @internal
 */
export function apiUrl(
  { origin, prefix }: BaseAddress,
  segments: readonly string[],
  query: Readonly<Record<string, string | number | undefined>> = {},
): URL {
  const url = new URL(`${origin}${prefix}/v1/${segments.map(encodeURIComponent).join('/')}`)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) url.searchParams.set(name, String(value))
  }
  return url
}

function isSafe({ protocol, hostname }: URL): boolean {
  return protocol === 'https:' || (protocol === 'http:' && isLoopbackHost(hostname))
}

function oddBaseUrl(why: string): SluiceError {
  return new SluiceError({
    code: 'config.base_url',
    message: `service.base_url cannot be used: ${why}`,
    hint: 'an address of the form https://api.example.com; http:// is for this machine only (http://127.0.0.1:8080)',
  })
}
