import type { HttpClient, HttpResponse, StreamBody } from '../base/net/http-client.ts'
import type { Clock } from '../base/time/time.ts'
import { isHtml } from '../contract/errors.ts'
import { classifyAnswer, unknownProtocol } from '../contract/failures.ts'
import { findHeaderFault } from '../contract/upload-headers.ts'
import type { Ticket } from '../domain/asset.ts'
import { isSuccess, networkFailure, parseUploadUrl } from './api.ts'
import { type Failure, type Outcome, present, withoutSecrets } from './outcome.ts'

/** The service chose a header that cannot be sent: the content is retried, and never refused. */
export const unsendable_header = 'upload_header'

/** `perhaps`: a web page came instead of the store's answer. Only `complete` knows. */
export type Taken = 'surely' | 'perhaps'

/** The failure for bytes that a web page seemed to accept, and that are not in the slot. */
export const taken_by_page: Failure = {
  about: 'network',
  call: 'put',
  code: 'network.web_page',
  message: 'a web page answered in place of the blob store (a sign-in page or a proxy?)',
}

export type UploadBody = { size: number; bytes: Uint8Array } | StreamBody

/**
 * The blob store is another origin, and gets neither token nor project. The ticket is checked
 * again, because it may come from disk. A stream's error passes: it is a fault of the file.
 */
export async function putBytes(
  http: HttpClient,
  clock: Clock,
  ticket: Ticket,
  body: UploadBody,
  signal?: AbortSignal,
): Promise<Outcome<Taken>> {
  const odd = (what: string, code?: string): Outcome<Taken> => {
    return { ok: false, failure: { ...unknownProtocol('put', what), ...present({ code }) } }
  }
  const url = parseUploadUrl(ticket.upload_url)
  if (!url) return odd('upload_url is not an https address')
  if (ticket.upload_method !== 'PUT') return odd('upload_method is not PUT')
  const fault = findHeaderFault(ticket.upload_headers, url.host, body.size)
  if (fault !== undefined) return odd(fault, unsendable_header)
  // The client sets the length itself, which is the same.
  const sent = Object.entries(ticket.upload_headers).filter(
    ([name]) => name.toLowerCase() !== 'content-length',
  )

  let response: HttpResponse
  try {
    const content = 'bytes' in body ? body.bytes : body
    response = await http.request({
      method: 'PUT',
      url,
      headers: Object.fromEntries(sent),
      body: content,
      signal,
    })
  } catch (error) {
    return { ok: false, failure: networkFailure('put', error) }
  }
  if (!isSuccess(response.status))
    return { ok: false, failure: classifyAnswer('put', response, clock.now_ms()) }
  if (!response.request_complete) return odd('it was taken before all the bytes were sent')
  return { ok: true, value: isHtml(response) ? 'perhaps' : 'surely' }
}

/** Shorter values are no signatures, and would match ordinary words. */
const min_secret_length = 8

/** Removes the URL's query and the header values, which a service may repeat in its message. */
export function withoutTicket(failure: Failure, ticket: Ticket | undefined): Failure {
  if (!ticket) return failure
  const { search, searchParams } = new URL(ticket.upload_url)
  const secrets = [
    search.slice(1),
    ...searchParams.values(),
    ...Object.values(ticket.upload_headers),
  ]
  return withoutSecrets(
    failure,
    secrets.filter((secret) => secret.length >= min_secret_length),
  )
}
