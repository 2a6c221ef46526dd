import type { IncomingHttpHeaders, ServerResponse } from 'node:http'

/** The refusals of the blob store, with the error codes of Azure Blob, which clients may know. */
export const blob_refusals = {
  bad_request: [400, 'InvalidUri', 'Nothing is stored under this address.'],
  not_signed: [403, 'AuthenticationFailed', 'This request is not the one that was signed.'],
  expired: [403, 'AuthenticationFailed', 'The signed URL has expired.'],
  origin: [
    403,
    'CorsPreflightFailure',
    'Web pages of this origin may not upload here (--allow-origin).',
  ],
  not_found: [404, 'BlobNotFound', 'This slot does not exist, or has expired.'],
  method: [405, 'UnsupportedHttpVerb', 'This signed URL allows only PUT.'],
  sealed: [409, 'BlobImmutableDueToPolicy', 'This slot already has other bytes.'],
  no_length: [
    411,
    'MissingContentLengthHeader',
    'The upload has no Content-Length: send it, and the bytes unchunked.',
  ],
  md5_malformed: [400, 'InvalidMd5', 'Content-MD5 is not the base64 text of 16 bytes.'],
  md5_differs: [
    400,
    'Md5Mismatch',
    'The bytes that arrived have another MD5 than Content-MD5 says.',
  ],
  too_large: [413, 'RequestBodyTooLarge', 'The body is larger than the signed URL allows.'],
  busy: [503, 'ServerBusy', 'The blob store cannot write now: another process uses its data.'],
  failed: [500, 'InternalError', 'The blob store failed. Its log says why.'],
} as const satisfies Record<string, readonly [number, string, string]>

export type BlobRefusal = keyof typeof blob_refusals

/** Answers in XML, as real blob stores do. */
export function refuseBlob(
  response: ServerResponse,
  refusal: BlobRefusal,
  headers?: Record<string, string>,
): void {
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

/** The requests so far that a correct client never sends. Reasons contain no header values. */
export interface BlobFaults {
  count: number
  /** The newest reasons, at most `max_reasons`. */
  reasons: string[]
}

const max_reasons = 1_000

/** Headers that a client must never send here: they show a secret to another host (B-08). */
const never = ['x-api-key', 'x-project-id', 'authorization', 'proxy-authorization', 'cookie']

/**
 * Headers that describe the stored object, or make the write depend on a condition. They must be
 * signed. Browsers, proxies and tracing add many others, which change nothing.
 */
const meaningful = /^(content-(?!length$|md5$)|if-|x-(ms|amz|goog)-)/

export function forbiddenHeader(headers: IncomingHttpHeaders): string | undefined {
  const name = never.find((candidate) => headers[candidate] !== undefined)
  return name === undefined ? undefined : `carries ${name}`
}

export function additionalHeader(
  headers: IncomingHttpHeaders,
  signed: readonly string[],
): string | undefined {
  const name = Object.keys(headers).find(
    (candidate) => meaningful.test(candidate) && !signed.includes(candidate),
  )
  return name === undefined ? undefined : `carries ${name}, which was not signed`
}

export function countFault(faults: BlobFaults, reason: string): void {
  faults.count++
  faults.reasons.push(reason)
  if (faults.reasons.length > max_reasons) faults.reasons.shift()
}
