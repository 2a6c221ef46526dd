import type { FaultNote } from '../base/run/errors.ts'

/**
 * Permission by the service to send the bytes of one asset by PUT. It is secret: with the URL
 * anyone can write these bytes. It is kept only in memory and in tickets.db, never in a log, an
 * error or a backup. The ledger keeps only the origin of the URL.
 */
export interface Ticket {
  upload_url: string
  upload_method: 'PUT'
  /** Sent unchanged, and no others (contract, section 2). */
  upload_headers: Record<string, string>
  expires_at_ms: number
}

/**
 * An asset as the service reports it. Only `ready` is usable in a chat. `uploaded`: a slot that has
 * no bytes. `other`: a status that Sluice does not know; it counts as in progress.
 */
export interface AssetSaid {
  status: 'uploaded' | 'ingesting' | 'ready' | 'failed' | 'other'
  /** The service's own word, to show to users. */
  raw_status: string
  /** The reason of `failed`, to show to users; absent if the service gives none. */
  why_failed?: string
}

/** Fault of a content whose asset failed; `what`: what happened, as a clause. */
export function ingestFault({ raw_status, why_failed }: AssetSaid, what: string): FaultNote {
  // The local service begins with what `what` says.
  const why = why_failed?.replace(/^The file cannot be read: /, '') ?? 'it does not say why'
  return { code: ingest_failed, message: `${what} (status ${raw_status}): ${why}` }
}

/** Error code of a content that the service has and cannot use. */
export const ingest_failed = 'ingest_failed'

/**
 * Facts about a ready asset that the service lost, reads again or cannot use. Only an answer about
 * its id shows this, never a list. `asset_id` is the asset that was asked about, or absent for any.
 * If the content has another one by now, the fact has no effect.
 */
export type LossFact =
  /** The service no longer has it. */
  | { type: 'asset_missing'; content: number; asset_id?: string }
  /** The service is reading it again. */
  | { type: 'asset_unready'; content: number; asset_id?: string }
  /** The service now reports that it cannot use it. */
  | { type: 'asset_failed'; content: number; asset_id?: string; error: FaultNote }

/**
 * Compares an asset that is ready in the ledger with the service's answer about it. Only an answer
 * about this asset counts, because a list may be outdated. `gone`: the service does not know it. A
 * slot without bytes (`uploaded`) counts as gone too. Undefined if it is ready there as well.
 */
export function lossOf(
  { content, asset_id }: { content: number; asset_id: string },
  said: AssetSaid | 'gone',
): LossFact | undefined {
  const of = { content, asset_id }
  if (said === 'gone' || said.status === 'uploaded') return { type: 'asset_missing', ...of }
  if (said.status === 'ready') return undefined
  if (said.status !== 'failed') return { type: 'asset_unready', ...of }
  const error = ingestFault(said, 'the service had it ready and cannot use it any more')
  return { type: 'asset_failed', ...of, error }
}
