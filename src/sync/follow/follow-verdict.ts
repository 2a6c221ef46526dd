import { formatDuration } from '../../base/text/format.ts'
import { minute_ms } from '../../base/time/time.ts'
import { ingest_failed, most_vanished } from '../../domain/content.ts'
import type { ContentFact } from '../../domain/fact.ts'
import type { FollowWork } from '../../ledger/ledger.ts'
import type { AssetRecord } from '../../remote/assets.ts'
import type { Failure } from '../../remote/outcome.ts'

export interface FollowPolicy {
  /** Rest before the next read, by the number of reads so far. */
  wait_ms(attempts: number): number
  /** Rest between reads of an asset that is past its deadline. */
  slow_wait_ms: number
  /** After this the wait is reported; it goes on all the same. */
  deadline_ms(bytes: number): number
  /** A hit that is tiny and not final for this long is a slot whose bytes never came. */
  dead_hit_after_ms: number
}

/**
 * An asset of which so many bytes are there was never filled (contract, "dead reservation": size 0
 * or 1).
 */
const dead_size_most = 1

/**
 * An asset that was sent again and is not there either is taken for removed only after so long: the
 * service may be at fault.
 */
const min_gone_ms = 10 * minute_ms

/** The fact that follows where a followed asset could not be read. */
export function unreadFact(work: FollowWork, failure: Failure, now_ms: number, policy: FollowPolicy): ContentFact {
  const { content, vanished, attempts, following_since_ms } = work
  const is_believed = vanished < most_vanished || now_ms - following_since_ms >= min_gone_ms
  if (failure.about === 'asset_gone' && is_believed) return { type: 'asset_vanished', content }
  const note = { code: failure.code ?? failure.about, message: failure.message }
  return { type: 'ingest_continues', content, not_before_ms: now_ms + policy.wait_ms(attempts), note }
}

/** The fact that follows from the service's record of a followed content. */
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

/** A slot that reads as if it were on its way, though the bytes (so many) never came. */
export function isUnfilled({ size_in_bytes }: AssetRecord, size: number): boolean {
  return size > dead_size_most && size_in_bytes !== undefined && size_in_bytes <= dead_size_most
}
