import { minute_ms, second_ms } from '../base/time/time.ts'
import type { ContentFact } from './fact.ts'

/**
 * Where one content (the same bytes in one project, however many paths have them) stands on its way.
 *
 * - `wanted`: some path has it, the service does not, nothing was asked yet. The uploader moves it on.
 * - `reserving`: we are about to ask for a slot, or asked and do not know the answer (a crash). Asking again is safe.
 * - `reserved`: the service gave a slot (`asset_id`); its ticket is kept until the bytes are in.
 * - `sent`: the blob store has taken all the bytes; `complete` is still to be called.
 * - `ingesting`: the service has the bytes and reads them. The follower moves it on.
 * - `ready`: usable in the assistant. Only this is success. The audit keeps it true: the service may lose it (`removed_on_service`),
 *   read it again (`ingesting`) or find that it cannot use it (`refused`).
 * - `refused`: a person must act (`error_*` says why); new bytes make a new content, `sluice retry` asks again.
 * - `removed_on_service`: it was there, and somebody removed it there. Not sent again unless a person asks, or the policy
 *   `audit.on_remote_delete` does. Listed as ready once more, it is.
 * - `abandoned`: no path wants these bytes any more, and they never got in, or we removed them there. A path that brings them back
 *   wants it again.
 * - `removing`: no path holds these bytes any more, and we are about to remove the asset that we made, or did and do not know the
 *   answer (a crash). There is no way back from here but the service's word: a path that brings them back waits for it.
 */
export type ContentState =
  | 'wanted'
  | 'reserving'
  | 'reserved'
  | 'sent'
  | 'ingesting'
  | 'ready'
  | 'refused'
  | 'removed_on_service'
  | 'abandoned'
  | 'removing'

export interface ContentProgress {
  state: ContentState
  asset_id: string | undefined
  /** True when a 201 made this asset for us; false when the service said that it has the bytes already. */
  made_here: boolean
  /** Ask for the next slot without md5: the service answered with an asset that will never have its bytes. */
  without_md5: boolean
  /** Nothing is tried before this time, Unix ms. */
  not_before_ms: number
  /** Failures since it was wanted, whatever the step; 0 again once the service has the bytes. */
  attempts: number
  /** Time of the first of these failures, Unix ms; undefined without one. */
  failing_since_ms: number | undefined
  /** Failures in a row on the slot that it has now: of its PUT, then of `complete`. */
  slot_failures: number
  /** Times the asset vanished while the service was reading it. */
  vanished: number
  error_code: string | undefined
  error_message: string | undefined
  intended_ms: number | undefined
  sent_ms: number | undefined
  following_since_ms: number | undefined
  ready_ms: number | undefined
}

/**
 * Status calls a file slow that the service has been reading for so long, and so much longer for each megabyte: large scans are
 * read for long, and nothing but that word hangs on it.
 */
export const slow_reading = { base_ms: 15 * minute_ms, per_mb_ms: 2 * second_ms }

export function slowAfter_ms(bytes: number): number {
  return slow_reading.base_ms + (bytes / 1_000_000) * slow_reading.per_mb_ms
}

/** An asset that vanishes while being read is sent once more (contract, "404 while following"), then taken as removed. */
export const most_vanished = 1

export function newContent(not_before_ms: number): ContentProgress {
  return {
    state: 'wanted',
    asset_id: undefined,
    made_here: false,
    without_md5: false,
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

const open_states: readonly ContentState[] = ['wanted', 'reserving', 'reserved', 'sent', 'ingesting']

/** True while somebody still works on it without a person's help. */
export function isUnderway(state: ContentState): boolean {
  return open_states.includes(state)
}

/**
 * The only way a content changes: the pure answer to "this happened at that time". Undefined where the fact says nothing about
 * a content in this state (a late answer after a newer fact); then nothing changes.
 */
export function contentAfter(content: ContentProgress, fact: ContentFact, at_ms: number): ContentProgress | undefined {
  if (!appliesIn[fact.type].includes(content.state) || isOfAnotherAsset(content, fact)) return undefined
  // What was due stays due since then: it is no later than what came after it, and its place in the order costs no write.
  const due_ms = Math.min(content.not_before_ms, at_ms)
  const step = { ...content, not_before_ms: due_ms, error_code: undefined, error_message: undefined }
  const forward = { ...step, attempts: 0, failing_since_ms: undefined, slot_failures: 0 }
  switch (fact.type) {
    case 'slot_intended':
      return { ...content, state: 'reserving', intended_ms: at_ms }
    case 'slot_reserved':
      // Behind what is due already: whatever becomes of its bytes now, others get their turn before it is tried again.
      return {
        ...step,
        not_before_ms: at_ms,
        state: 'reserved',
        asset_id: fact.asset_id,
        made_here: true,
        slot_failures: 0,
      }
    case 'asset_found':
      return { ...forward, state: 'ingesting', asset_id: fact.asset_id, made_here: false, following_since_ms: at_ms }
    case 'bytes_accepted':
      return { ...step, state: 'sent', sent_ms: at_ms, slot_failures: 0 }
    case 'bytes_missing':
      return { ...failedOnce(content, fact, at_ms), state: 'reserved', slot_failures: 0 }
    case 'ingest_started':
      return { ...forward, state: 'ingesting', following_since_ms: at_ms, not_before_ms: fact.not_before_ms }
    case 'ingest_continues':
      return { ...content, attempts: content.attempts + 1, not_before_ms: fact.not_before_ms, ...noted(fact.note) }
    case 'asset_ready':
      return { ...forward, state: 'ready', ready_ms: at_ms, vanished: 0, without_md5: false }
    case 'content_refused':
      return refused(content, fact.error)
    case 'set_back':
      return {
        ...failedOnce(content, fact, at_ms),
        slot_failures: content.asset_id === undefined ? 0 : content.slot_failures + 1,
      }
    case 'slot_lost':
      return { ...failedOnce(content, fact, at_ms), state: 'wanted', asset_id: undefined, slot_failures: 0 }
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
    case 'content_wanted_again':
      return { ...newContent(fact.not_before_ms), without_md5: content.without_md5 }
    case 'removal_intended':
      return { ...forward, state: 'removing', intended_ms: at_ms }
    case 'asset_removed':
      return { ...newContent(at_ms), state: 'abandoned' }
    case 'asset_kept':
      return { ...forward, state: 'ready' }
    case 'removal_set_back':
      return { ...content, attempts: content.attempts + 1, not_before_ms: fact.not_before_ms, ...noted(fact.error) }
  }
}

/** Asked about one asset, and answered after the content has got another. */
function isOfAnotherAsset({ asset_id }: ContentProgress, fact: ContentFact): boolean {
  const asked = fact.type === 'asset_missing' || fact.type === 'asset_unready' || fact.type === 'asset_failed'
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
  set_back: open_states,
  slot_lost: ['reserved', 'sent'],
  hit_dead: ['ingesting'],
  asset_vanished: ['ingesting'],
  asset_missing: ['ready'],
  asset_unready: ['ready'],
  asset_failed: ['ready'],
  asset_returned: ['refused', 'removed_on_service'],
  content_orphaned: before_bytes,
  content_wanted_again: ['refused', 'removed_on_service', 'abandoned'],
  removal_intended: ['ready'],
  asset_removed: ['removing'],
  asset_kept: ['removing'],
  removal_set_back: ['removing'],
}

/** Of a content that the service has and cannot use. */
export const ingest_failed = 'ingest_failed'

/** For a reason that lay in the asset, which may have been put right there: the content still knows its id. */
function isGivenUpThere({ state, asset_id, error_code }: ContentProgress): boolean {
  return asset_id !== undefined && (state === 'removed_on_service' || error_code === ingest_failed)
}

interface Fault {
  code: string
  message: string
}

function noted(fault: Fault | undefined): Pick<ContentProgress, 'error_code' | 'error_message'> {
  return { error_code: fault?.code, error_message: fault?.message }
}

function refused(content: ContentProgress, fault: Fault): ContentProgress {
  return { ...content, state: 'refused', ...noted(fault) }
}

/** An attempt is counted only where there is an error of its own. */
function failedOnce(
  content: ContentProgress,
  { error, not_before_ms }: { error?: Fault; not_before_ms: number },
  at_ms: number,
): ContentProgress {
  if (!error) return { ...content, not_before_ms }
  const failing_since_ms = content.failing_since_ms ?? at_ms
  return { ...content, attempts: content.attempts + 1, failing_since_ms, not_before_ms, ...noted(error) }
}

function afterVanished(content: ContentProgress, at_ms: number): ContentProgress {
  if (content.vanished >= most_vanished) {
    return {
      ...content,
      state: 'removed_on_service',
      ...removed('removed on the service while it was being read'),
    }
  }
  return { ...newContent(at_ms), vanished: content.vanished + 1 }
}

function removed(message: string): ReturnType<typeof noted> {
  return noted({ code: 'removed_on_service', message })
}
