import { backoff_ms, day_ms, minute_ms, second_ms } from '../base/time.ts'
import type { LabelFact } from '../domain/fact.ts'
import type { LabelWork, Ledger } from '../ledger/ledger.ts'
import { type Failure, isSurelyUndone } from '../remote/outcome.ts'
import { actOnEach, type ClaimTools, type ClaimWorker, startClaimWorker } from './claim-worker.ts'
import { type LabelCall, labelCalls, makeLabelCall, withdrawn } from './label-calls.ts'

const retry = { first_ms: second_ms, most_ms: 5 * minute_ms }
/** A label that the service does not take: asked again rarely, for as long as it is wanted. */
const refused_ms = day_ms
/**
 * An asset that is gone, or an odd answer: it may be a fault of seconds or for good, so later and
 * later.
 */
const retry_doubtful = { first_ms: second_ms, most_ms: refused_ms }

/** Brings the labels of ready assets to what their folders ask for; labels that people attached are never touched. */
export function startLabeler(tools: ClaimTools, signal: AbortSignal): ClaimWorker {
  const { ledger, circuits } = tools
  /** Failures in a row of contents whose labels are set back; forgotten with the process, then the back-off begins anew. */
  const tries = new Map<number, number>()
  return startClaimWorker<LabelWork, ClaimTools>(
    {
      name: 'labeler',
      kind: 'label',
      max_claimed: 64,
      pace_ms: 50,
      claim: (limit, options) => ledger.claimToLabel(limit, options),
      async act(work, held) {
        await intend(work, ledger)
        await actOnEach(
          work,
          { circuits, signal },
          {
            act: (item) => labelAsset(item, held, tries),
            async leave(left) {
              const unsent = left.flatMap((item) => withdrawn(item, labelCalls(item)))
              if (unsent.length > 0) await ledger.record(unsent)
            },
          },
        )
      },
    },
    tools,
    signal,
  )
}

/** Intents before the calls, in one commit for all of these assets. */
async function intend(work: readonly LabelWork[], ledger: Ledger): Promise<void> {
  const namesOf = (item: LabelWork) => labelCalls(item).map(({ name }) => name)
  await ledger.record(
    work.map((item) => ({ type: 'labels_intended' as const, content: item.content, names: namesOf(item) })),
  )
}

/** The answer of every call is recorded before the next call. */
async function labelAsset(work: LabelWork, tools: ClaimTools, tries: Map<number, number>): Promise<void> {
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
  { ledger, circuits, clock, report }: ClaimTools,
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
