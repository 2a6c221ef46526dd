import type { FaultNote } from '../base/run/errors.ts'
import { extensionOf, unreadType } from './file-type.ts'

/**
 * Permission to PUT the bytes of one asset. The URL is secret: anyone can write them with it. It
 * stays in memory and tickets.db, never in a log, an error or a backup. The ledger has its origin.
 */
export interface Ticket {
  upload_url: string
  upload_method: 'PUT'
  /** Sent unchanged, and no others (contract, section 2). */
  upload_headers: Record<string, string>
  expires_at_ms: number
}

/** `uploaded` is a slot without bytes. `other` is unknown to Sluice, and counts as in progress. */
export interface AssetSaid {
  status: 'uploaded' | 'ingesting' | 'ready' | 'failed' | 'other'
  /** The service's own word, to show to users. */
  raw_status: string
  /** The reason of `failed`, to show to users; absent if the service gives none. */
  why_failed?: string
}

/** The local service says this about a type that it does not read. */
const of_kind = /does not read this kind of file/

/** Fault of a content whose asset failed. `name`: of a file that has it. */
export function ingestFault({ why_failed }: AssetSaid, name: string): FaultNote {
  if (why_failed !== undefined && of_kind.test(why_failed))
    return note(unreadType(extensionOf(name)))
  return note(`the service cannot read this file${whyText(why_failed)}`)
}

function whyText(why_failed: string | undefined): string {
  // The local service begins with what Sluice says itself.
  const why = why_failed?.replace(/^The file cannot be read: /, '')
  return why === undefined ? ', and does not say why' : `: ${why}`
}

function note(message: string): FaultNote {
  return { code: ingest_failed, message }
}

/** Error code of a content that the service has and cannot use. */
export const ingest_failed = 'ingest_failed'

/**
 * Facts about a ready asset that the service lost, reads again or cannot use. Only an answer about
 * its id shows this, as a list may be outdated. `asset_id`: the asset that was asked about, or
 * absent for any. If the content has another one by now, the fact has no effect.
 */
export type LossFact =
  | { type: 'asset_missing'; content: number; asset_id?: string }
  | { type: 'asset_unready'; content: number; asset_id?: string }
  | { type: 'asset_failed'; content: number; asset_id?: string; error: FaultNote }

/** The loss of a ready asset, if any. `gone`: the service answered that it has no such asset. */
export function lossOf(
  { content, asset_id }: { content: number; asset_id: string },
  said: AssetSaid | 'gone',
): LossFact | undefined {
  const of = { content, asset_id }
  if (said === 'gone' || said.status === 'uploaded') return { type: 'asset_missing', ...of }
  if (said.status === 'ready') return undefined
  if (said.status !== 'failed') return { type: 'asset_unready', ...of }
  const message = `the service had it ready and cannot read it any more${whyText(said.why_failed)}`
  return { type: 'asset_failed', ...of, error: note(message) }
}
