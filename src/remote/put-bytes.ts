import type { HttpClient, HttpResponse, StreamBody } from '../base/http-client.ts'
import type { Clock } from '../base/time.ts'
import { classifyAnswer, unknownProtocol } from '../contract/failures.ts'
import type { Ticket } from '../domain/ticket.ts'
import { parseUploadUrl } from './addresses.ts'
import { isSuccess, networkFailure } from './api.ts'
import type { Outcome } from './outcome.ts'
import { findHeaderFault, uploadHeaders } from './upload-headers.ts'

export type UploadBody = { size: number; bytes: Uint8Array } | StreamBody

/**
 * Sends the bytes to the blob store: an origin of its own that knows neither token nor project. The ticket is checked again
 * here, since it may come from disk. What a stream throws is thrown on as it is: it is the file's fault, not the network's.
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
