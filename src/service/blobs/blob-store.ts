import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { createBareServer, type TlsKeys } from '../../base/net/http-server.ts'
import { messageOf } from '../../base/run/errors.ts'
import { isId } from '../../contract/identifiers.ts'
import { type Gate, hasOneHost } from '../address.ts'
import type { RequestEntry } from '../api/observer.ts'
import { sendFailure } from '../faults/fault-injection.ts'
import { answerFault, isLocked, locked_retry_after_s } from '../faults/faults.ts'
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

/** `behind_proxy`: a reverse proxy may add headers to the requests. */
type BlobParts = Parts & Door & { faults: BlobFaults; behind_proxy: boolean }

const path_prefix = '/objects/'

export function blobPathOf(asset_id: string): string {
  return `${path_prefix}${asset_id}`
}

/** Accepts only signed PUTs, on an origin of its own. It refuses requests that carry a token. */
export function createBlobStore(parts: BlobParts): Server {
  const { log } = parts
  return createBareServer({
    tls: parts.tls,
    silence_ms: parts.settings.silence_ms,
    handle: (request, response) => {
      handle(parts, request, response).catch((error: unknown) => {
        log(`an upload failed, the client may try again: ${messageOf(error)}`)
        if (response.headersSent) response.destroy()
        else if (isLocked(error)) refuseBlob(response, 'busy', { 'retry-after': locked_retry_after_s })
        else refuseBlob(response, 'failed')
      })
    },
    answerError: (error) => answerFault(error, { blank_codes: new Set(), log }),
  })
}

async function handle(parts: BlobParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { observer, injected_faults, clock } = parts
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

function addressOf(url: string): { asset_id: string | undefined; query: URLSearchParams } {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const id = path.startsWith(path_prefix) ? path.slice(path_prefix.length) : ''
  return { asset_id: isId('asset', id) ? id : undefined, query: new URLSearchParams(mark < 0 ? '' : url.slice(mark)) }
}

/** Checks and stores one PUT. `gone`: the connection ended early, so there is no answer. */
async function put(
  parts: BlobParts,
  request: IncomingMessage,
  entry: RequestEntry,
  asset_id: string | undefined,
  query: URLSearchParams,
): Promise<BlobRefusal | 'stored' | 'gone'> {
  const { signer, assets, faults, uploading, files, observer, clock, gate, behind_proxy } = parts
  const { headers, method = '' } = request
  const counted = (reason: string, refusal: BlobRefusal): BlobRefusal => {
    countFault(faults, reason)
    return refusal
  }

  const forbidden = forbiddenHeader(headers)
  if (forbidden !== undefined) return counted(forbidden, 'not_signed')
  if (asset_id === undefined || !hasOneHost(request) || !gate.isOurHost(headers.host)) return 'bad_request'
  const verdict = signer.verify({ method, asset_id, query, headers })
  if (!verdict.ok) return counted(verdict.reason, method === 'PUT' ? 'not_signed' : 'method')
  const additional = additionalHeader(headers, verdict.signed_headers, behind_proxy)
  if (additional !== undefined) return counted(additional, 'not_signed')
  if (headers['content-length'] === undefined) return counted('carries no content-length', 'no_length')
  if (verdict.expires_at_ms <= clock.now_ms()) return 'expired'
  const length = Number(headers['content-length'])
  if (length > verdict.limit_bytes) return 'too_large'
  // The signature proves that the slot was made. Only a long body is worth the check that the slot
  // still exists.
  if (length > max_inline_bytes && !assets.findAnywhere(asset_id)) return 'not_found'

  uploading.add(asset_id)
  try {
    const received = await receiveBody(request, { length, files, halfWay: () => observer.notify('during', entry) })
    return received ? await store(parts, asset_id, received) : 'gone'
  } finally {
    uploading.delete(asset_id)
  }
}

/**
 * Commits the received bytes without a flush: the flush of `complete` covers the commit. Before
 * `complete`, a new PUT replaces the bytes. After it, the same bytes count as a repetition, and
 * other bytes are refused.
 */
async function store(parts: BlobParts, asset_id: string, received: Received): Promise<BlobRefusal | 'stored'> {
  const { assets, objects, files, commits } = parts
  const file = 'file' in received ? received.file : undefined
  // A file that no row names is removed at the end: the new one if the commit fails or stores
  // nothing, else the one that it replaces.
  let unnamed = file
  try {
    const stored = await commits.writeUnflushed(() => {
      const asset = assets.findAnywhere(asset_id)
      if (!asset) return { outcome: 'not_found' as const, unnamed: file }
      if (asset.status === 'uploaded') return { outcome: 'stored' as const, unnamed: objects.put(asset.seq, received) }
      return { outcome: asset.md5 === received.md5 ? ('stored' as const) : ('sealed' as const), unnamed: file }
    })
    unnamed = stored.unnamed
    return stored.outcome
  } finally {
    if (unnamed !== undefined) await files.remove(unnamed)
  }
}
