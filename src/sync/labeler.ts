import { heldBy, type Pulse, type Pulses } from '../base/pulse.ts'
import { restUntilDue } from '../base/rest.ts'
import { backoff_ms, type Clock, day_ms, minute_ms, second_ms } from '../base/time.ts'
import { allEnded, runWorker, type Worker } from '../base/worker.ts'
import type { LabelFact } from '../domain/fact.ts'
import type { LabelWork, Ledger } from '../ledger/ledger.ts'
import { type Failure, isSurelyUndone } from '../remote/outcome.ts'
import type { Remote } from '../remote/remote.ts'
import type { Circuits } from './circuits.ts'
import { type LabelCall, labelCalls, makeLabelCall, withdrawn } from './label-calls.ts'
import type { SyncReport } from './report.ts'

export interface LabelTools {
  ledger: Ledger
  remote: Remote
  circuits: Circuits
  clock: Clock
  report: SyncReport
  pulses: Pulses
}

const claimed_at_once = 64
const labelled_at_once = 4
/** Many facts wake it; they are gathered for this long. */
const pace_ms = 50
const retry = { first_ms: second_ms, most_ms: 5 * minute_ms }
/** A label that the service does not take: asked again rarely, for as long as it is wanted. */
const refused_ms = day_ms
/**
 * An asset that is gone, or an odd answer: it may be a fault of seconds or for good, so later and
 * later.
 */
const retry_doubtful = { first_ms: second_ms, most_ms: refused_ms }

export interface Labeler {
  worker: Worker
  inFlight(): number
}

/** Brings the labels of ready assets to what their folders ask for; labels that people attached are never touched. */
export function startLabeler(tools: LabelTools, signal: AbortSignal): Labeler {
  const { ledger, circuits, clock, report, pulses } = tools
  /** Failures in a row of contents whose labels are set back; forgotten with the process, then the back-off begins anew. */
  const tries = new Map<number, number>()
  let in_flight = 0

  async function step(_signal: AbortSignal, pulse: Pulse): Promise<{ wait_ms: number }> {
    const { limit, wait_ms, except_projects } = circuits.allowance(['api'])
    if (limit === 0) return { wait_ms }
    const { work, next_due_ms } = await ledger.claimToLabel(Math.min(claimed_at_once, limit), { except_projects })
    if (work.length === 0) {
      if (limit === 1) circuits.unused()
      return restUntilDue(next_due_ms, clock)
    }
    await intend(work, ledger)
    const left = new Set(work)
    in_flight = work.length
    const held = { ...tools, remote: heldBy(pulse, tools.remote) }
    try {
      for (let from = 0; from < work.length && !signal.aborted; from += labelled_at_once) {
        // A pause or a trouble came after the claim: this work is released.
        const begun = work
          .slice(from, from + labelled_at_once)
          .filter(({ project_id }) => !circuits.rests(project_id, ['api']))
        for (const item of begun) left.delete(item)
        await allEnded(begun.map((item) => labelAsset(item, held, tries)))
      }
    } finally {
      try {
        const unsent = [...left].flatMap((item) => withdrawn(item, labelCalls(item)))
        if (unsent.length > 0) await ledger.record(unsent)
      } finally {
        in_flight = 0
        const contents = work.map(({ content }) => content)
        ledger.release('label', contents)
      }
    }
    return { wait_ms: 0 }
  }

  const worker = runWorker({
    name: 'labeler',
    step,
    clock,
    signal,
    pace_ms,
    pulses,
    on_error: (error) => report.fault('labeler', error),
  })
  return { worker, inFlight: () => in_flight }
}

/** Intents before the calls, in one commit for all of these assets. */
async function intend(work: readonly LabelWork[], ledger: Ledger): Promise<void> {
  const namesOf = (item: LabelWork) => labelCalls(item).map(({ name }) => name)
  try {
    await ledger.record(
      work.map((item) => ({ type: 'labels_intended' as const, content: item.content, names: namesOf(item) })),
    )
  } catch (error) {
    const contents = work.map(({ content }) => content)
    ledger.release('label', contents)
    throw error
  }
}

/** The answer of every call is recorded before the next call. */
async function labelAsset(work: LabelWork, tools: LabelTools, tries: Map<number, number>): Promise<void> {
  const { content, project_id, wanted } = work
  const { ledger, remote, circuits } = tools
  const calls = labelCalls(work)
  for (const [index, call] of calls.entries()) {
    const outcome = await makeLabelCall(call, work, remote)
    if (!outcome.ok) {
      const unsent = calls.slice(isSurelyUndone(outcome.failure) ? index : index + 1)
      return setBack(work, outcome.failure, unsent, tools, tries)
    }
    await circuits.succeeded(project_id, 'api')
    await ledger.record([outcome.value])
  }
  tries.delete(content)
  await ledger.record([{ type: 'labels_settled', content, wanted }])
}

async function setBack(
  work: LabelWork,
  failure: Failure,
  unsent: readonly LabelCall[],
  { ledger, circuits, clock, report }: LabelTools,
  tries: Map<number, number>,
): Promise<void> {
  const { content, project_id, name, wanted } = work
  const facts: LabelFact[] = withdrawn(work, unsent)
  if ((await circuits.failed(failure, project_id, 'api', { content })) === 'hold') {
    if (facts.length > 0) await ledger.record(facts)
    return
  }
  const is_passing = failure.about === 'network' || failure.about === 'later' || failure.about === 'attempt'
  const tried = tries.get(content) ?? 0
  tries.set(content, tried + 1)
  const wait_ms = is_passing ? backoff_ms(tried, retry) : backoff_ms(tried, retry_doubtful)
  const not_before_ms = clock.now_ms() + (failure.about === 'content' ? refused_ms : wait_ms)
  await ledger.record([...facts, { type: 'labels_set_back', content, not_before_ms, wanted }])
  report.later(`its labels: ${failure.message}`, name)
}
