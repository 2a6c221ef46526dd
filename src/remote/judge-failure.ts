import { isSurelyUnsent } from '../base/net/network-fault.ts'
import { formatSpan } from '../base/text/format.ts'
import { minute_ms } from '../base/time/time.ts'
import { type Call, decidesAboutUploads, type Failure } from '../contract/failures.ts'
import { type AlikeRefusals, failures_to_blame } from '../domain/file-type.ts'
import type { Feature } from '../domain/trouble.ts'
import { taken_by_page, unsendable_header } from './put-bytes.ts'

/** The feature that a call decides about. A call of neither kind decides about its item alone. */
const features: Partial<Record<Call, Feature>> = {
  list: 'audit',
  attach: 'labels',
  detach: 'labels',
  labels: 'questions',
  chat: 'questions',
  message: 'questions',
  chats: 'questions',
}

/**
 * What a failed call blames, and what therefore rests.
 * - `token`: every call.
 * - `project`: every call in this project.
 * - `host`: every call to this host.
 * - `step`: uploads, because several contents failed alike at one step.
 * - `uploads`: uploads to this project. The service refuses them, whatever the content is.
 * - `types`: contents of this type in this project. The service refuses such contents.
 * - `feature`: this feature in this project.
 * - `none`: nothing but the item of this call.
 */
export type Blame = 'token' | 'project' | 'host' | 'step' | 'uploads' | 'types' | 'feature' | 'none'

/**
 * What the failure says about the item of the call (a content, an asset, a label, a question).
 * - `untried`: nothing. It keeps its state and pays for no try.
 * - `waits`: it pays for no try, but waits longer each time, and shows why.
 * - `again`: it failed once, and is tried again.
 * - `slot_lost`: likewise, and it needs another slot.
 * - `rests`: it waits with its type.
 * - `refused`: by the service, until it changes or a user asks.
 * - `given_up`: after too many tries.
 * - `gone`: the service does not have it.
 */
type FailureFact =
  | 'untried'
  | 'waits'
  | 'again'
  | 'slot_lost'
  | 'rests'
  | 'refused'
  | 'given_up'
  | 'gone'

export interface Judgement {
  blame: Blame
  fact: FailureFact
}

/** The facts from before, the failed call included. Absent: none. */
export interface History {
  /** True if the configuration no longer names the project. */
  is_left?: boolean
  /** The parts that rest already. Only a success ends it, so each further failure adds to it. */
  open?: readonly Blame[]
  in_a_row?: InARow
  /** Number of contents with this fault at this step lately, without a success between. */
  alike?: number
  upload?: UploadTries | undefined
  refusals?: AlikeRefusals
}

/** Failures of a host, a feature or a right without a success between. */
export interface InARow {
  times: number
  /** Number of those that concern no content. */
  general: number
  /** Number of different contents. */
  contents: number
  /** True if others had a success lately: then a content that fails alone is at fault. */
  works: boolean
}

/** Failed tries of one content. */
export interface UploadTries {
  attempts: number
  failing_since_ms: number | undefined
  slot_failures: number
  max_attempts: number
  is_slot_gone: boolean
  now_ms: number
}

/** One content alone: the third failure ends its slot, and the fourth comes from a new slot. */
const failures_alone_to_blame = 4
/** A slot ends after so many failures in a row: its ticket may be the cause. */
const max_slot_failures = 3
/** No content is given up sooner: a fault of the service may last as long. */
const min_failing_ms = 10 * minute_ms

/**
 * The one judgement of a failed call (contract, "What an error is about"). Pure. Only calls of an
 * upload can rest uploads; any other call decides about its own feature, except for the token, the
 * project, and a way to the service that gives no answer at all.
 */
export function judgeFailure(failure: Failure, history: History): Judgement {
  const { about, call } = failure
  // The retry uses the new token. A request that ended with its connection says nothing.
  if (failure.of_old_token || failure.code === 'network.aborted') return judged('none', 'untried')
  if (about === 'account') return judged('token', 'untried')
  if (about === 'project' && !history.is_left) return judged('project', 'untried')
  if (about === 'uploads') return judgeNoRight(history)
  if (about === 'content' && call === 'create') return judgeRefusal(history)
  if (about === 'right' || about === 'content')
    return judged(refusalBlame(failure, history), 'refused')
  if (about === 'asset_gone' || (about === 'project' && call === 'read'))
    return judged('none', 'gone')
  const blame = lastingBlame(failure, history)
  const { upload } = history
  if (upload) return judged(blame, uploadFact(failure, blame, upload))
  return judged(blame, blame === 'none' ? 'again' : 'untried')
}

/** The part that a call of this kind may rest if it gets no good answer; undefined: none. */
export function mayRest(failure: Failure): 'host' | Feature | undefined {
  const { about, call, code } = failure
  const is_unknown = about === 'unknown_protocol' && call !== 'put' && code !== unsendable_header
  if (about !== 'network' && about !== 'later' && !is_unknown) return undefined
  // Without a connection, the way to the service is at fault, and no single call.
  const is_unsent = isSurelyUnsent(code) || code === 'network.tls'
  if (is_unsent || decidesAboutUploads(call)) return 'host'
  // A pause that the service asks for is for all, if the call has no feature that could rest.
  return features[call] ?? (failure.retry_after_ms === undefined ? undefined : 'host')
}

export function featureOf(call: Call): Feature | undefined {
  return features[call]
}

/** True if a failure of this content concerns every content: all calls use the same API. */
export function concernsAll({ call, code }: Failure): boolean {
  return call !== 'put' && isSurelyUnsent(code)
}

/** The text for users about a content that is given up. */
export function givenUpText(
  { message }: Failure,
  { attempts, failing_since_ms, now_ms }: UploadTries,
): string {
  const span = formatSpan(failing_since_ms ?? now_ms, now_ms)
  return `given up after ${attempts + 1} tries in ${span}: ${message}`
}

function judged(blame: Blame, fact: FailureFact): Judgement {
  return { blame, fact }
}

/** No right to upload. Of two contents, or if nothing else works, it is about the whole project. */
function judgeNoRight({ open = [], in_a_row }: History): Judgement {
  const { times = 0, general = 0, contents = 0, works = false } = in_a_row ?? {}
  const is_of_all = general + contents >= 2 || (times >= 2 && !works)
  const is_uploads = open.includes('uploads') || is_of_all
  return is_uploads ? judged('uploads', 'untried') : judged('none', 'waits')
}

/** The service refused a content on create, or every content, or those of some types. */
function judgeRefusal({ open = [], refusals }: History): Judgement {
  if (open.includes('uploads')) return judged('uploads', 'untried')
  if (!refusals) return judged('none', 'refused')
  const { contents, is_test, rests, rested, has_other, is_project_proven } = refusals
  // Another type is refused alike, so the type is not the cause.
  if (is_test && !rests) return judged('uploads', 'untried')
  // The service took others since. Or it was asked again after that, and gives the same answer.
  const is_of_types = rests || rested || contents >= failures_to_blame
  if (!is_of_types) return judged('none', 'refused')
  // Without another type, only a file that was ready shows that it takes any.
  return has_other || is_project_proven ? judged('types', 'rests') : judged('uploads', 'untried')
}

/** Questions wait one by one. Labels and the audit ask for all files of a project. */
function refusalBlame({ about, call }: Failure, { alike = 0 }: History): Blame {
  const is_of_all = about === 'right' || alike >= failures_to_blame
  const feature = features[call]
  return feature !== undefined && feature !== 'questions' && is_of_all ? 'feature' : 'none'
}

function lastingBlame(failure: Failure, history: History): Blame {
  const { open = [], in_a_row, alike = 0, upload } = history
  const rest = mayRest(failure)
  if (rest !== undefined) {
    const blame = rest === 'host' ? 'host' : 'feature'
    const is_asked_to_wait = failure.retry_after_ms !== undefined
    if (is_asked_to_wait || open.includes(blame) || (in_a_row && isEnough(in_a_row))) return blame
  }
  const is_step = upload !== undefined && failure.call !== 'read'
  return is_step && (open.includes('step') || alike >= failures_to_blame) ? 'step' : 'none'
}

function isEnough({ times, general, contents, works }: InARow): boolean {
  return general + contents >= failures_to_blame || (times >= failures_alone_to_blame && !works)
}

function uploadFact(failure: Failure, blame: Blame, tries: UploadTries): FailureFact {
  const counts = blame === 'none'
  if (failure.code === taken_by_page.code) return counts ? 'waits' : 'untried'
  if (counts && isGivenUp(failure, tries)) return 'given_up'
  if (needsSlot(failure, counts, tries)) return 'slot_lost'
  return counts ? 'again' : 'untried'
}

/**
 * True if another slot may help: this one failed too often, at the blob store or as unknown to
 * `complete`. The last try has its own slot: no content is given up for an old ticket. While the
 * service is at fault, no try is the last, and a new slot only costs the bytes again.
 */
function needsSlot({ about, call }: Failure, counts: boolean, tries: UploadTries): boolean {
  if (tries.is_slot_gone || about === 'ticket') return true
  const may_be_slot = call === 'put' || (counts && about === 'slot_gone')
  const is_last_next = counts && tries.attempts + 2 >= tries.max_attempts
  return may_be_slot && (is_last_next || tries.slot_failures + 1 >= max_slot_failures)
}

function isGivenUp({ code }: Failure, tries: UploadTries): boolean {
  const { attempts, failing_since_ms, max_attempts, now_ms } = tries
  const failing_ms = now_ms - (failing_since_ms ?? now_ms)
  const is_enough = attempts + 1 >= max_attempts && failing_ms >= min_failing_ms
  return code !== unsendable_header && is_enough
}
