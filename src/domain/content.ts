import type { FaultNote } from '../base/run/errors.ts'
import { minute_ms, second_ms } from '../base/time/time.ts'
import { isUnusable } from './asset.ts'
import type { ContentFact } from './fact.ts'
import { typeRest } from './file-type.ts'

/**
 * State of one content: the same bytes in one project, however many paths have them.
 *
 * - `wanted`: a path has it, and it has no slot and no asset on the service, or none any more.
 *   `inspect/explain/explain-reasons.ts` lists why it may stay so.
 * - `reserving`: the uploader is about to ask for a slot, or has asked and got no slot: the call
 *   failed, or a crash lost the answer. Asking again is safe.
 * - `reserved`: it has a slot (`asset_id`), whose ticket is kept until `complete` succeeds.
 * - `sent`: the blob store has all the bytes; `complete` has not succeeded yet.
 * - `ingesting`: the service reads the bytes, or it has named an asset that it already had.
 * - `ready`: usable in the assistant. Only this is success. The audit checks it later: it may
 *   become `removed_on_service`, `ingesting` (read again) or `refused` (it cannot be used).
 * - `refused`: a user must act (`error_*` says why). `sluice retry` asks again. If the service
 *   refused several alike on create, it is tried again, or waits with its type.
 * - `type_refused`: it is not uploaded, because the service could read no file of its type so far,
 *   or refuses such files. `sluice accept` uploads it, and so does the first file of the type that
 *   the service reads (takes).
 * - `removed_on_service`: it was removed there. It is uploaded again if a user or the policy
 *   `audit.on_remote_delete` asks for it, or if Sluice may have removed it itself. If the service
 *   lists it as ready again, it is `ready`.
 * - `abandoned`: no path wants these bytes any more, and the service never got them, or Sluice
 *   removed them there. A path that brings them back makes it `wanted`.
 * - `removing`: no path holds these bytes any more. Sluice is about to remove the asset that it
 *   made, or has asked and does not know the result. A path that brings the bytes back waits until
 *   the service answers, or the call surely had no effect.
 */
export type ContentState =
  | 'wanted'
  | 'reserving'
  | 'reserved'
  | 'sent'
  | 'ingesting'
  | 'ready'
  | 'refused'
  | 'type_refused'
  | 'removed_on_service'
  | 'abandoned'
  | 'removing'

export interface ContentProgress {
  state: ContentState
  asset_id: string | undefined
  /** True if a 201 made this asset for Sluice; false if the service already had the bytes. */
  made_here: boolean
  /** True: the next slot request omits the md5, for which the service named a dead asset. */
  without_md5: boolean
  /** True: it is uploaded even if its type holds it: a user asked, or it is the daily try. */
  any_type: boolean
  /** Earliest next try, Unix ms. */
  not_before_ms: number
  /** Failed uploads. In `ingesting`: reads without a result. In `removing`: failed tries. */
  attempts: number
  /** Time of the first of these failures of the upload, Unix ms; undefined without one. */
  failing_since_ms: number | undefined
  /**
   * Failed tries in a row on its present slot: of the PUT, then of `complete`. Without a slot: of
   * the request for one, if they were no tries of the content.
   */
  slot_failures: number
  /** How often its asset vanished while the service was reading it. */
  vanished: number
  error_code: string | undefined
  error_message: string | undefined
  intended_ms: number | undefined
  sent_ms: number | undefined
  following_since_ms: number | undefined
  ready_ms: number | undefined
}

/**
 * Large scans take long, hence the time for each megabyte. `sluice status` shows a slow file, and
 * the follower reads it less often. It is never refused for that.
 */
export const slow_reading = { base_ms: 15 * minute_ms, per_mb_ms: 2 * second_ms }

export function slowAfter_ms(bytes: number): number {
  return slow_reading.base_ms + (bytes / 1_000_000) * slow_reading.per_mb_ms
}

/** Resends of a content whose asset vanishes while read (contract, "404 while following"). */
export const max_vanished = 1

export function newContent(not_before_ms: number): ContentProgress {
  return {
    state: 'wanted',
    asset_id: undefined,
    made_here: false,
    without_md5: false,
    any_type: false,
    not_before_ms,
    attempts: 0,
    failing_since_ms: undefined,
    slot_failures: 0,
    vanished: 0,
    error_code: undefined,
    error_message: undefined,
    intended_ms: undefined,
    sent_ms: undefined,
    following_since_ms: undefined,
    ready_ms: undefined,
  }
}

const open_states: readonly ContentState[] = [
  'wanted',
  'reserving',
  'reserved',
  'sent',
  'ingesting',
]

export function isUnderway(state: ContentState): boolean {
  return open_states.includes(state)
}

/** Only this changes a state. Pure. Undefined, without a change, if a late fact does not apply. */
export function contentAfter(
  content: ContentProgress,
  fact: ContentFact,
  at_ms: number,
): ContentProgress | undefined {
  if (!appliesIn[fact.type].includes(content.state) || isOfAnotherAsset(content, fact))
    return undefined
  // A due content keeps its due time: it stays ahead of later ones, without a write to the index.
  const due_ms = Math.min(content.not_before_ms, at_ms)
  const step = {
    ...content,
    not_before_ms: due_ms,
    error_code: undefined,
    error_message: undefined,
  }
  const forward = { ...step, attempts: 0, failing_since_ms: undefined, slot_failures: 0 }
  switch (fact.type) {
    case 'slot_intended':
      // Without a failed try, the error is only why it waited until now.
      return {
        ...content,
        state: 'reserving',
        intended_ms: at_ms,
        ...(content.attempts === 0 && noted(undefined)),
      }
    case 'slot_reserved':
      // It goes behind contents that are due: if its upload fails, others come before a retry.
      return {
        ...step,
        not_before_ms: at_ms,
        state: 'reserved',
        asset_id: fact.asset_id,
        made_here: true,
        slot_failures: 0,
      }
    case 'asset_found':
      return {
        ...forward,
        state: 'ingesting',
        asset_id: fact.asset_id,
        made_here: false,
        following_since_ms: at_ms,
      }
    case 'bytes_accepted':
      return { ...step, state: 'sent', sent_ms: at_ms, slot_failures: 0 }
    case 'bytes_missing':
      return { ...failedOnce(content, fact, at_ms), state: 'reserved', slot_failures: 0 }
    case 'ingest_started':
      return {
        ...forward,
        state: 'ingesting',
        following_since_ms: at_ms,
        not_before_ms: fact.not_before_ms,
      }
    case 'ingest_continues':
      return {
        ...content,
        attempts: content.attempts + 1,
        not_before_ms: fact.not_before_ms,
        ...noted(fact.note),
      }
    case 'asset_ready':
      return { ...forward, state: 'ready', ready_ms: at_ms, vanished: 0, without_md5: false }
    case 'content_refused':
      return refused(content, fact.error)
    case 'type_refused':
      return { ...content, state: 'type_refused', ...noted(fact.error) }
    case 'type_rests': {
      const error = typeRest(fact.refusal.extension, fact.said)
      return { ...content, state: 'type_refused', ...noted(error) }
    }
    case 'types_freed':
      return content
    case 'deferred':
      return {
        ...failedOnce(content, fact, at_ms),
        slot_failures:
          content.asset_id === undefined && !fact.is_no_try ? 0 : content.slot_failures + 1,
      }
    case 'slot_lost':
      return {
        ...failedOnce(content, fact, at_ms),
        state: 'wanted',
        asset_id: undefined,
        slot_failures: 0,
      }
    case 'hit_dead':
      return { ...forward, state: 'wanted', asset_id: undefined, without_md5: true }
    case 'asset_vanished':
      return afterVanished(content, at_ms)
    case 'asset_missing':
      return { ...content, state: 'removed_on_service', ...removed('removed on the service') }
    case 'asset_unready':
      return { ...forward, state: 'ingesting', following_since_ms: at_ms }
    case 'asset_failed':
      return refused(content, fact.error)
    case 'asset_returned':
      return isGivenUpThere(content) ? { ...forward, state: 'ready' } : undefined
    case 'content_orphaned':
      return { ...forward, state: 'abandoned', asset_id: undefined }
    case 'content_wanted_again': {
      const is_asked = content.state === 'refused' || content.state === 'type_refused'
      const any_type = fact.of_type ? content.any_type : is_asked
      return { ...newContent(fact.not_before_ms), without_md5: content.without_md5, any_type }
    }
    case 'removal_intended':
      return { ...forward, state: 'removing', intended_ms: at_ms }
    case 'asset_removed':
      return { ...newContent(at_ms), state: 'abandoned' }
    case 'asset_kept':
      return { ...forward, state: 'ready' }
    case 'removal_deferred':
      return {
        ...content,
        attempts: content.attempts + 1,
        not_before_ms: fact.not_before_ms,
        ...noted(fact.error),
      }
  }
}

function isOfAnotherAsset({ asset_id }: ContentProgress, fact: ContentFact): boolean {
  const asked =
    fact.type === 'asset_missing' || fact.type === 'asset_unready' || fact.type === 'asset_failed'
  return asked && fact.asset_id !== undefined && fact.asset_id !== asset_id
}

const before_bytes: readonly ContentState[] = ['wanted', 'reserving', 'reserved']
const appliesIn: Record<ContentFact['type'], readonly ContentState[]> = {
  slot_intended: ['wanted', 'reserving'],
  slot_reserved: ['reserving'],
  asset_found: ['reserving'],
  bytes_accepted: ['reserved'],
  bytes_missing: ['sent'],
  ingest_started: ['sent'],
  ingest_continues: ['ingesting'],
  asset_ready: ['ingesting'],
  content_refused: open_states,
  type_refused: ['wanted'],
  type_rests: ['reserving', 'refused'],
  types_freed: [...open_states, 'refused', 'type_refused'],
  deferred: open_states,
  slot_lost: ['reserved', 'sent'],
  hit_dead: ['ingesting'],
  asset_vanished: ['ingesting'],
  asset_missing: ['ready'],
  asset_unready: ['ready'],
  asset_failed: ['ready'],
  asset_returned: ['refused', 'removed_on_service'],
  content_orphaned: before_bytes,
  content_wanted_again: ['refused', 'type_refused', 'removed_on_service', 'abandoned'],
  removal_intended: ['ready'],
  asset_removed: ['removing'],
  asset_kept: ['removing'],
  removal_deferred: ['removing'],
}

/** True if Sluice gave it up because of its asset, which may have been repaired on the service. */
function isGivenUpThere({ state, asset_id, error_code }: ContentProgress): boolean {
  return asset_id !== undefined && (state === 'removed_on_service' || isUnusable(error_code))
}

function noted(
  fault: FaultNote | undefined,
): Pick<ContentProgress, 'error_code' | 'error_message'> {
  return { error_code: fault?.code, error_message: fault?.message }
}

function refused(content: ContentProgress, fault: FaultNote): ContentProgress {
  return { ...content, state: 'refused', ...noted(fault) }
}

/** Sets the time of the next try. Only with an `error` it counts as a failed attempt. */
function failedOnce(
  content: ContentProgress,
  fact: { error?: FaultNote; not_before_ms: number; is_no_try?: boolean },
  at_ms: number,
): ContentProgress {
  const { error, not_before_ms } = fact
  if (!error) return { ...content, not_before_ms }
  if (fact.is_no_try) return { ...content, not_before_ms, ...noted(error) }
  const failing_since_ms = content.failing_since_ms ?? at_ms
  return {
    ...content,
    attempts: content.attempts + 1,
    failing_since_ms,
    not_before_ms,
    ...noted(error),
  }
}

function afterVanished(content: ContentProgress, at_ms: number): ContentProgress {
  if (content.vanished < max_vanished)
    return { ...newContent(at_ms), vanished: content.vanished + 1 }
  return {
    ...content,
    state: 'removed_on_service',
    ...removed('removed on the service while it was being read'),
  }
}

const removed = (message: string) => noted({ code: 'removed_on_service', message })
