import { heldBy, type Pulse, type Pulses } from '../base/pulse.ts'
import { restUntilDue } from '../base/rest.ts'
import { backoff_ms, type Clock, day_ms, minute_ms, second_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import type { LabelWork, Ledger } from '../ledger/ledger.ts'
import type { Failure } from '../remote/outcome.ts'
import type { Remote } from '../remote/remote.ts'
import type { Circuits } from './circuits.ts'
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
/** A label that the service does not take, or an asset that is gone: asked again rarely, for as long as it is wanted. */
const refused_ms = day_ms

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
    in_flight = work.length
    const held = { ...tools, remote: heldBy(pulse, tools.remote) }
    try {
      for (let from = 0; from < work.length && !signal.aborted; from += labelled_at_once) {
        // A pause, or a trouble, came after the claim: these go back.
        const begun = work
          .slice(from, from + labelled_at_once)
          .filter(({ project_id }) => !circuits.rests(project_id, ['api']))
        await Promise.all(begun.map((item) => labelAsset(item, held, tries)))
      }
    } finally {
      in_flight = 0
      const contents = work.map(({ content }) => content)
      await ledger.release('label', contents)
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

/** Attach first, then detach: a file that moves is never without a label. Every call is recorded before the next. */
async function labelAsset(work: LabelWork, tools: LabelTools, tries: Map<number, number>): Promise<void> {
  const { content, project_id, asset_id, wanted, attached } = work
  const { ledger, remote, circuits } = tools
  const have = new Set(attached.map(({ name }) => name))
  for (const name of wanted) {
    if (have.has(name)) continue
    const outcome = await remote.attachLabel(project_id, asset_id, name)
    if (!outcome.ok) return setBack(work, outcome.failure, tools, tries)
    await circuits.succeeded(project_id, 'api')
    await ledger.record([{ type: 'label_attached', content, name, label_id: outcome.value.label_id }])
  }
  for (const { name, label_id } of attached) {
    if (wanted.includes(name)) continue
    const outcome = await remote.detachLabel(project_id, asset_id, label_id)
    if (!outcome.ok) return setBack(work, outcome.failure, tools, tries)
    await circuits.succeeded(project_id, 'api')
    await ledger.record([{ type: 'label_detached', content, name }])
  }
  tries.delete(content)
  await ledger.record([{ type: 'labels_settled', content, wanted }])
}

async function setBack(
  { content, project_id, name, wanted }: LabelWork,
  failure: Failure,
  { ledger, circuits, clock, report }: LabelTools,
  tries: Map<number, number>,
): Promise<void> {
  if ((await circuits.failed(failure, project_id, 'api')) === 'hold') return
  const is_passing = failure.about === 'network' || failure.about === 'later' || failure.about === 'attempt'
  const tried = tries.get(content) ?? 0
  tries.set(content, tried + 1)
  const not_before_ms = clock.now_ms() + (is_passing ? backoff_ms(tried, retry) : refused_ms)
  await ledger.record([{ type: 'labels_set_back', content, not_before_ms, wanted }])
  report.later(`its labels: ${failure.message}`, name)
}
