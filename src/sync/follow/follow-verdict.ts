import { formatSpan } from '../../base/text/format.ts'
import { backoff_ms, minute_ms } from '../../base/time/time.ts'
import { hasNothingToRead, ingestFault, lossOf } from '../../domain/asset.ts'
import type { AuditFact } from '../../domain/audit.ts'
import { max_vanished, slowAfter_ms } from '../../domain/content.ts'
import type { ContentFact } from '../../domain/fact.ts'
import type { FollowWork } from '../../ledger/ledger.ts'
import { type AssetRecord, isUnfilled } from '../../remote/assets.ts'
import type { Failure } from '../../remote/outcome.ts'

export interface FollowSettings {
  /** Wait before the first reads of an uploaded asset; later waits are longer. */
  first_ms: number
  max_ms: number
  /** After this time an unfinished asset of 0 or 1 bytes, found by md5, counts as an empty slot. */
  dead_hit_after_ms: number
  /** Number of pending assets from which list pages are read, since one page shows 100 of them. */
  list_from: number
}

/** Wait between reads of an asset that the service has been reading for longer than usual. */
const slow_wait_ms = 5 * minute_ms

/** A missing asset that was uploaded again counts as removed only after this time. */
const min_gone_ms = 10 * minute_ms

type FollowFact = ContentFact | AuditFact

/** The fact for an asset that could not be read; undefined if nothing follows from that. */
export function unreadFact(
  work: FollowWork,
  failure: Failure,
  is_gone: boolean,
  now_ms: number,
  follow: FollowSettings,
): FollowFact | undefined {
  const { content, vanished, attempts, following_since_ms } = work
  if (work.is_ready) return is_gone ? lossOf(work, 'gone') : undefined
  const is_believed = vanished < max_vanished || now_ms - following_since_ms >= min_gone_ms
  if (is_gone && is_believed) return { type: 'asset_vanished', content }
  const note = { code: failure.code ?? failure.about, message: failure.message }
  return {
    type: 'ingest_continues',
    content,
    not_before_ms: now_ms + nextRead_ms(attempts, follow),
    note,
  }
}

/** The fact for an asset, from the service's record of it. */
export function followFact(
  work: FollowWork,
  record: AssetRecord,
  now_ms: number,
  follow: FollowSettings,
): FollowFact {
  const { content } = work
  if (work.is_ready)
    return lossOf(work, record) ?? { type: 'asset_confirmed', content, reading: record.reading }
  if (record.status === 'failed' || hasNothingToRead(record))
    return { type: 'content_refused', content, error: ingestFault(record, work.name) }
  if (record.status === 'ready') {
    const { shown_name, reading } = record
    return { type: 'asset_ready', content, shown_name, reading }
  }
  const waited_ms = now_ms - work.following_since_ms
  if (!work.made_here && isUnfilled(record, work.size) && waited_ms >= follow.dead_hit_after_ms)
    return { type: 'hit_dead', content }
  if (waited_ms <= slowAfter_ms(work.size)) {
    return {
      type: 'ingest_continues',
      content,
      not_before_ms: now_ms + nextRead_ms(work.attempts, follow),
    }
  }
  const not_before_ms = now_ms + slow_wait_ms
  const said = record.status === 'other' ? `, and calls it ${record.raw_status}` : ''
  const message = `the service has been reading it for ${formatSpan(work.following_since_ms, now_ms)}${said}`
  return { type: 'ingest_continues', content, not_before_ms, note: { code: 'slow', message } }
}

function nextRead_ms(attempts: number, follow: FollowSettings): number {
  return backoff_ms(Math.floor(attempts / 2), follow)
}
