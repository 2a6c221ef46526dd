import type { FaultNote } from '../base/run/errors.ts'
import { extensionOf, unreadType } from './file-type.ts'
import { amountRead, type Reading, readingText } from './reading.ts'

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
  /** True if it is `failed` for what is in it, which says nothing about its type (by the code). */
  has_no_text?: boolean
  /** Absent if the service does not say how much of it was read. */
  reading?: Reading
}

/** True if the assistant can use it. `ready` alone does not say so: nothing of it may be read. */
export function isUsable({ status, reading }: Pick<AssetSaid, 'status' | 'reading'>): boolean {
  return status === 'ready' && amountRead(reading) !== 'nothing'
}

/** True if its bytes hold nothing to read. That is about this file, never about its type. */
export function hasNothingToRead({ status, has_no_text, reading }: Omit<AssetSaid, 'raw_status'>) {
  const is_empty = status === 'ready' && amountRead(reading) === 'nothing'
  return is_empty || (status === 'failed' && has_no_text === true)
}

/** The local service says this about a type that it does not read. */
const of_kind = /does not read this kind of file/

/** True if the local service says that its machine lacks a program which reads the file. */
export function lacksProgram(message: string): boolean {
  return message.endsWith("not installed on the service's machine")
}

/** Fault of a content whose asset cannot be used. `name`: of a file that has it. */
export function ingestFault(said: AssetSaid, name: string): FaultNote {
  if (hasNothingToRead(said)) return nothingToRead(said)
  const { why_failed } = said
  if (why_failed !== undefined && of_kind.test(why_failed))
    return note(unreadType(extensionOf(name)))
  return note(`the service cannot read this file${whyText(why_failed)}`)
}

function nothingToRead({ status, why_failed, reading }: AssetSaid): FaultNote {
  const why = status === 'ready' ? readingText(reading) : clauseOf(why_failed)
  return { code: nothing_to_read, message: why ?? 'it has no text' }
}

/** The local service begins with what Sluice says itself. */
function clauseOf(why_failed: string | undefined): string | undefined {
  return why_failed?.replace(/^The file cannot be read: /, '')
}

function whyText(why_failed: string | undefined): string {
  const why = clauseOf(why_failed)
  return why === undefined ? ', and does not say why' : `: ${why}`
}

function note(message: string): FaultNote {
  return { code: ingest_failed, message }
}

/** Error code of a content that the service has and cannot use. */
export const ingest_failed = 'ingest_failed'
/** Error code of a content without a word of its own, which says nothing about its type. */
export const nothing_to_read = 'nothing_to_read'

/** True if the service has the content and cannot use it. */
export function isUnusable(error_code: string | undefined): boolean {
  return error_code === ingest_failed || error_code === nothing_to_read
}

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
  if (isUsable(said)) return undefined
  if (hasNothingToRead(said)) return { type: 'asset_failed', ...of, error: nothingToRead(said) }
  if (said.status !== 'failed') return { type: 'asset_unready', ...of }
  const message = `the service had it ready and cannot read it any more${whyText(said.why_failed)}`
  return { type: 'asset_failed', ...of, error: note(message) }
}
