import type { HttpClient, HttpResponse, StreamBody } from '../base/net/http-client.ts'
import type { Clock } from '../base/time/time.ts'
import { classifyAnswer, unknownProtocol } from '../contract/failures.ts'
import { api_key_header, project_header } from '../contract/identifiers.ts'
import type { Ticket } from '../domain/asset.ts'
import { isSuccess, networkFailure, parseUploadUrl } from './api.ts'
import { type Failure, type Outcome, withTexts } from './outcome.ts'

export type UploadBody = { size: number; bytes: Uint8Array } | StreamBody

/**
 * Sends the bytes to the blob store, a separate origin that knows neither token nor project. It
 * checks the ticket again, because it may come from disk. It rethrows an error of the stream
 * unchanged: that is a fault of the file, not of the network.
 */
export async function putBytes(
  http: HttpClient,
  clock: Clock,
  ticket: Ticket,
  body: UploadBody,
  signal?: AbortSignal,
): Promise<Outcome<void>> {
  const odd = (what: string): Outcome<void> => ({ ok: false, failure: unknownProtocol('put', what) })
  const url = parseUploadUrl(ticket.upload_url)
  if (!url) return odd('upload_url is not an https address')
  if (ticket.upload_method !== 'PUT') return odd('upload_method is not PUT')
  const fault = findHeaderFault(ticket.upload_headers)
  if (fault !== undefined) return odd(fault)
  const headers = uploadHeaders(ticket.upload_headers, body.size)
  if (!headers) return odd('upload_headers demands another Content-Length than the file has')

  let response: HttpResponse
  try {
    const content = 'bytes' in body ? body.bytes : body
    response = await http.request({ method: 'PUT', url, headers, body: content, signal })
  } catch (error) {
    return { ok: false, failure: networkFailure(error) }
  }
  if (!isSuccess(response.status)) return { ok: false, failure: classifyAnswer('put', response, clock.now_ms()) }
  if (!response.request_complete) return odd('it was taken before all the bytes were sent')
  return { ok: true, value: undefined }
}

/** A signed URL needs two or three headers; a ticket with more than this is refused. */
const max_headers = 32

/** Names and values of RFC 9110, sections 5.1 and 5.5. */
const header_name = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/
const header_value = /^[\t\x20-\x7e\x80-\xff]*$/

/** A ticket must not name these: they are the connection's (RFC 9110, 7.6.1), or leak our token. */
const never_sent = new Set([
  api_key_header,
  project_header,
  'connection',
  'expect',
  'host',
  'keep-alive',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/** Why these headers cannot be sent verbatim, or undefined. Never contains a value. */
export function findHeaderFault(headers: Readonly<Record<string, unknown>>): string | undefined {
  const names = Object.keys(headers)
  if (names.length > max_headers) return `upload_headers has more than ${max_headers} headers`
  const lower = new Set(names.map((name) => name.toLowerCase()))
  if (lower.size < names.length) return 'upload_headers names a header twice'
  for (const [name, value] of Object.entries(headers)) {
    if (!header_name.test(name)) return 'upload_headers has a name that is not one of a header'
    if (never_sent.has(name.toLowerCase())) return `upload_headers asks for ${name}`
    if (typeof value !== 'string' || !header_value.test(value))
      return `the value of ${name} in upload_headers cannot be sent`
  }
  return undefined
}

/** The ticket's headers without Content-Length; undefined if it demands another length. */
function uploadHeaders(wanted: Readonly<Record<string, string>>, size: number): Record<string, string> | undefined {
  const headers: Record<string, string> = {}
  for (const [name, value] of Object.entries(wanted)) {
    if (name.toLowerCase() !== 'content-length') headers[name] = value
    else if (value.trim() !== String(size)) return undefined
  }
  return headers
}

/** Shorter values are no signatures, and would match ordinary words. */
const min_secret_length = 8

/** Removes the URL's query and the header values, which a service may repeat in its message. */
export function withoutTicket(failure: Failure, ticket: Ticket | undefined): Failure {
  if (!ticket) return failure
  const { search, searchParams } = new URL(ticket.upload_url)
  const secrets = [search.slice(1), ...searchParams.values(), ...Object.values(ticket.upload_headers)]
    .filter((secret) => secret.length >= min_secret_length)
    .sort((one, other) => other.length - one.length)
  return withTexts(failure, (text) => secrets.reduce((rest, secret) => rest.replaceAll(secret, '***'), text))
}
