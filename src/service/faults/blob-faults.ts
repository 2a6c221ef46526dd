import type { IncomingHttpHeaders } from 'node:http'

/** Requests to the blob store that a correct client never makes. Reasons name headers, never their values. */
export interface BlobFaults {
  count: number
  /** The newest, at most `reasons_most`. */
  reasons: string[]
}

const reasons_most = 1_000

/** What must never reach a blob store: it breaks the signature and hands the token to a stranger (B-08). */
const never = ['x-api-key', 'x-project-id', 'authorization', 'proxy-authorization', 'cookie']

/** What HTTP itself and common clients add to any request; everything else has to be signed. */
const transport = new Set([
  'host',
  'connection',
  'keep-alive',
  'content-length',
  'expect',
  'te',
  'user-agent',
  'accept',
  'accept-encoding',
  'accept-language',
  'sec-fetch-mode',
])

/** What reverse proxies add on the way. */
const by_proxies = /^(x-forwarded-[a-z]+|x-real-ip|x-request-id|forwarded|via)$/

export function forbiddenHeader(headers: IncomingHttpHeaders): string | undefined {
  const name = never.find((candidate) => headers[candidate] !== undefined)
  return name === undefined ? undefined : `carries ${name}`
}

export function additionalHeader(
  headers: IncomingHttpHeaders,
  signed: readonly string[],
  behind_proxy: boolean,
): string | undefined {
  for (const name in headers) {
    if (behind_proxy && by_proxies.test(name)) continue
    if (!transport.has(name) && !signed.includes(name)) return `carries ${name}, which was not signed`
  }
  return undefined
}

export function countFault(faults: BlobFaults, reason: string): void {
  faults.count++
  faults.reasons.push(reason)
  if (faults.reasons.length > reasons_most) faults.reasons.shift()
}
