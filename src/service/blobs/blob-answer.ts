import type { ServerResponse } from 'node:http'

/** Why the blob store refuses, in the words of a real one (Azure Blob's error codes), which clients may know. */
export const blob_refusals = {
  bad_request: [400, 'InvalidUri', 'Nothing is stored under this address.'],
  not_signed: [403, 'AuthenticationFailed', 'This request is not the one that was signed.'],
  expired: [403, 'AuthenticationFailed', 'The signed URL has expired.'],
  not_found: [404, 'BlobNotFound', 'There is no such slot, or no longer.'],
  method: [405, 'UnsupportedHttpVerb', 'A signed URL takes its own method only.'],
  sealed: [409, 'BlobImmutableDueToPolicy', 'Other bytes were accepted for this slot already.'],
  no_length: [411, 'MissingContentLengthHeader', 'A Content-Length is needed.'],
  too_large: [413, 'RequestBodyTooLarge', 'The body is larger than the signed URL allows.'],
  busy: [503, 'ServerBusy', 'The blob store cannot write now: another process uses its data.'],
  failed: [500, 'InternalError', 'The blob store failed. Its log says why.'],
} as const satisfies Record<string, readonly [number, string, string]>

export type BlobRefusal = keyof typeof blob_refusals

/** A blob store is not the service: it answers in XML, as the real ones do. */
export function refuseBlob(response: ServerResponse, refusal: BlobRefusal, headers?: Record<string, string>): void {
  const [status, code, message] = blob_refusals[refusal]
  sendXml(response, status, code, message, headers)
}

export function sendXml(
  response: ServerResponse,
  status: number,
  code: string,
  message: string,
  headers: Record<string, string> = {},
): void {
  const text = `<?xml version="1.0" encoding="utf-8"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`
  response.writeHead(status, {
    ...headers,
    'content-type': 'application/xml',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}
