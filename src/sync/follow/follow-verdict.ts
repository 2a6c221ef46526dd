import { formatDuration } from '../../base/text/format.ts'
import { minute_ms } from '../../base/time/time.ts'
import { ingest_failed, most_vanished } from '../../domain/content.ts'
import type { ContentFact } from '../../domain/fact.ts'
import type { FollowWork } from '../../ledger/ledger.ts'
import type { AssetRecord } from '../../remote/assets.ts'
import type { Failure } from '../../remote/outcome.ts'

export interface FollowPolicy {
  /** Wait before the next read, by the number of reads so far. */
  wait_ms(attempts: number): number
  /** Wait between reads of an asset past its deadline. */
  slow_wait_ms: number
  /** Time after which a slow asset is reported; the reads continue. */
  deadline_ms(bytes: number): number
  /** Age after which a tiny, unfinished hit counts as a slot without bytes. */
  dead_hit_after_ms: number
}

/** Bytes. An asset this small was never filled (contract, "dead reservation": size 0 or 1). */
const max_dead_bytes = 1

/** A missing asset that was sent again counts as removed only after this time. */
const min_gone_ms = 10 * minute_ms

/** The fact for an asset that could not be read. */
export function unreadFact(work: FollowWork, failure: Failure, now_ms: number, policy: FollowPolicy): ContentFact {
  const { content, vanished, attempts, following_since_ms } = work
  const is_believed = vanished < most_vanished || now_ms - following_since_ms >= min_gone_ms
  if (failure.about === 'asset_gone' && is_believed) return { type: 'asset_vanished', content }
  const note = { code: failure.code ?? failure.about, message: failure.message }
  return { type: 'ingest_continues', content, not_before_ms: now_ms + policy.wait_ms(attempts), note }
}

/** The fact for an asset, from the service's record of it. */
export function followFact(work: FollowWork, record: AssetRecord, now_ms: number, policy: FollowPolicy): ContentFact {
  const { content } = work
  if (record.status === 'ready') return { type: 'asset_ready', content }
  if (record.status === 'failed') {
    const message = 'The service cannot read this file (status failed) and does not say why'
    return { type: 'content_refused', content, error: { code: ingest_failed, message } }
  }
  const waited_ms = now_ms - work.following_since_ms
  if (isDeadHit(work, record, waited_ms, policy)) return { type: 'hit_dead', content }
  if (waited_ms <= policy.deadline_ms(work.size)) {
    return { type: 'ingest_continues', content, not_before_ms: now_ms + policy.wait_ms(work.attempts) }
  }
  const not_before_ms = now_ms + policy.slow_wait_ms
  const message = `the service has been reading it for ${formatDuration(waited_ms)} (status ${record.raw_status})`
  return { type: 'ingest_continues', content, not_before_ms, note: { code: 'slow', message } }
}

function isDeadHit(work: FollowWork, record: AssetRecord, waited_ms: number, policy: FollowPolicy): boolean {
  return !work.made_here && isUnfilled(record, work.size) && waited_ms >= policy.dead_hit_after_ms
}

/** True for a slot without bytes, whatever its status. `size`: bytes of the content. */
export function isUnfilled({ size_in_bytes }: AssetRecord, size: number): boolean {
  return size > max_dead_bytes && size_in_bytes !== undefined && size_in_bytes <= max_dead_bytes
}
