import type { IncomingHttpHeaders, IncomingMessage, Server, ServerResponse } from 'node:http'
import { createBareServer, type TlsKeys } from '../../base/net/http-server.ts'
import { messageOf } from '../../base/run/errors.ts'
import { isId } from '../../contract/identifiers.ts'
import { type Gate, hasOneHost } from '../address.ts'
import { sendFailure } from '../fault-injection.ts'
import { answerFault, isLocked, locked_retry_after_s } from '../faults/faults.ts'
import type { RequestEntry } from '../observer.ts'
import type { Parts } from '../parts.ts'
import { max_inline_bytes, type Received, receiveBody } from './receive-body.ts'
import {
  additionalHeader,
  type BlobFaults,
  type BlobRefusal,
  blob_refusals,
  countFault,
  forbiddenHeader,
  refuseBlob,
} from './refusals.ts'

export interface Door {
  gate: Gate
  tls: TlsKeys | undefined
}

type BlobParts = Parts & Door & { faults: BlobFaults }

const path_prefix = '/objects/'

export function blobPathOf(asset_id: string): string {
  return `${path_prefix}${asset_id}`
}

/**
 * Accepts only signed PUTs, and their preflights from web pages, on an origin of its own. It
 * refuses requests that carry a token.
 */
export function createBlobStore(parts: BlobParts): Server {
  const { log } = parts
  return createBareServer({
    tls: parts.tls,
    silence_ms: parts.settings.silence_ms,
    handle: (request, response) => {
      handle(parts, request, response).catch((error: unknown) => {
        log(`an upload failed, the client may try again: ${messageOf(error)}`)
        if (response.headersSent) response.destroy()
        else if (isLocked(error))
          refuseBlob(response, 'busy', { 'retry-after': locked_retry_after_s })
        else refuseBlob(response, 'failed')
      })
    },
    answerError: (error) => answerFault(error, { blank_codes: new Set(), log }),
  })
}

async function handle(
  parts: BlobParts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { observer, injected_faults, clock } = parts
  if (request.headers.origin !== undefined && parts.gate.isAllowedOrigin(request.headers.origin)) {
    response.setHeader('access-control-allow-origin', '*')
  }
  if (request.method === 'OPTIONS') return preflight(parts, request, response)
  const { asset_id, query } = addressOf(request.url ?? '')
  const entry = observer.begin('put', response, clock.now_ms())
  if (asset_id !== undefined) entry.asset_id = asset_id
  await observer.notify('begin', entry)
  const failure = await injected_faults.meet('put')
  if (failure && failure.when !== 'after') return sendFailure(response, failure, entry)
  const outcome = await put(parts, request, entry, asset_id, query)
  if (outcome === 'gone') return
  entry.status = outcome === 'stored' ? 201 : blob_refusals[outcome][0]
  await observer.notify('handled', entry)
  if (failure) return sendFailure(response, failure, entry)
  if (outcome === 'stored') response.writeHead(201, { 'content-length': 0 }).end()
  else refuseBlob(response, outcome)
}

/** Allows the headers that the page asks for: the signature decides when the PUT comes. */
function preflight({ gate }: BlobParts, request: IncomingMessage, response: ServerResponse): void {
  const { host, origin, 'access-control-request-headers': asked } = request.headers
  const allowed = asked === undefined ? {} : { 'access-control-allow-headers': asked }
  if (!hasOneHost(request) || !gate.isOurHost(host)) refuseBlob(response, 'bad_request')
  else if (!gate.isAllowedOrigin(origin)) refuseBlob(response, 'origin')
  else response.writeHead(204, { 'access-control-allow-methods': 'PUT', ...allowed }).end()
}

function addressOf(url: string): { asset_id: string | undefined; query: URLSearchParams } {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const id = path.startsWith(path_prefix) ? path.slice(path_prefix.length) : ''
  return {
    asset_id: isId('asset', id) ? id : undefined,
    query: new URLSearchParams(mark < 0 ? '' : url.slice(mark)),
  }
}

/** Checks and stores one PUT. `gone`: the connection ended early, so there is no answer. */
async function put(
  parts: BlobParts,
  request: IncomingMessage,
  entry: RequestEntry,
  asset_id: string | undefined,
  query: URLSearchParams,
): Promise<BlobRefusal | 'stored' | 'gone'> {
  const { signer, assets, faults, uploading, files, observer, clock, gate } = parts
  const { headers, method = '' } = request
  const counted = (reason: string, refusal: BlobRefusal): BlobRefusal => {
    countFault(faults, reason)
    return refusal
  }

  const forbidden = forbiddenHeader(headers)
  if (forbidden !== undefined) return counted(forbidden, 'not_signed')
  if (asset_id === undefined || !hasOneHost(request) || !gate.isOurHost(headers.host))
    return 'bad_request'
  const verdict = signer.verify({ method, asset_id, query, headers })
  if (!verdict.ok) return counted(verdict.reason, method === 'PUT' ? 'not_signed' : 'method')
  const additional = additionalHeader(headers, verdict.signed_headers)
  if (additional !== undefined) return counted(additional, 'not_signed')
  if (headers['content-length'] === undefined)
    return counted('carries no content-length', 'no_length')
  if (verdict.expires_at_ms <= clock.now_ms()) return 'expired'
  const md5 = md5Sent(headers)
  if (md5 === null) return 'md5_malformed'
  const length = Number(headers['content-length'])
  if (length > verdict.limit_bytes) return 'too_large'
  // The signature proves that the slot was made. Only a long body is worth the check that the slot
  // still exists.
  if (length > max_inline_bytes && !assets.findAnywhere(asset_id)) return 'not_found'

  uploading.add(asset_id)
  try {
    const received = await receiveBody(request, {
      length,
      files,
      halfWay: () => observer.notify('during', entry),
    })
    if (!received) return 'gone'
    if (md5 === undefined || md5 === received.md5) return await store(parts, asset_id, received)
    if ('file' in received) await files.remove(received.file)
    return 'md5_differs'
  } finally {
    uploading.delete(asset_id)
  }
}

/** Content-MD5 in hexadecimal digits; undefined if it is absent, null if it is malformed. */
function md5Sent({ 'content-md5': sent }: IncomingHttpHeaders): string | undefined | null {
  if (sent === undefined) return undefined
  return /^[A-Za-z0-9+/]{22}==$/.test(String(sent))
    ? Buffer.from(String(sent), 'base64').toString('hex')
    : null
}

/**
 * Commits the received bytes without a flush: the flush of `complete` covers the commit. Before
 * `complete`, a new PUT replaces the bytes. After it, the same bytes count as a repetition, and
 * other bytes are refused.
 */
async function store(
  parts: BlobParts,
  asset_id: string,
  received: Received,
): Promise<BlobRefusal | 'stored'> {
  const { assets, objects, files, commits } = parts
  const file = 'file' in received ? received.file : undefined
  // A file that no row names is removed at the end: the new one if the commit fails or stores
  // nothing, else the one that it replaces.
  let unnamed = file
  try {
    const stored = await commits.writeUnflushed(() => {
      const asset = assets.findAnywhere(asset_id)
      if (!asset) return { outcome: 'not_found' as const, unnamed: file }
      if (asset.status === 'uploaded')
        return { outcome: 'stored' as const, unnamed: objects.put(asset.seq, received) }
      return {
        outcome: asset.md5 === received.md5 ? ('stored' as const) : ('sealed' as const),
        unnamed: file,
      }
    })
    unnamed = stored.unnamed
    return stored.outcome
  } finally {
    if (unnamed !== undefined) await files.remove(unnamed)
  }
}
