import { backoff_ms, day_ms, minute_ms, second_ms } from '../../base/time/time.ts'
import type { LabelFact } from '../../domain/fact.ts'
import type { LabelWork, Ledger } from '../../ledger/ledger.ts'
import { contentThing, unlessRefused } from '../../ledger/refused-facts.ts'
import { type Failure, failureText, isSurelyUndone, type Outcome } from '../../remote/outcome.ts'
import type { Remote } from '../../remote/remote.ts'
import type { Circuits } from '../circuits.ts'
import { actOnEach, type ClaimTools, type ClaimWorker, startClaimWorker } from '../claim-worker.ts'

const retry = { first_ms: second_ms, max_ms: 5 * minute_ms }
/** Wait after the service refused a label; retried this rarely while the label is wanted. */
const refused_ms = day_ms
/** Increasing waits for a missing asset or an odd answer. No pass of `sync` waits for them. */
const retry_doubtful = { first_ms: 15 * minute_ms, max_ms: refused_ms }

/** Brings labels of ready assets to what their folders demand, except labels set by users. */
export function startLabeler(tools: ClaimTools, { soft }: { soft: AbortSignal }): ClaimWorker {
  const { ledger, circuits } = tools
  /** Failures in a row per content. A restart forgets them, and the back-off begins again. */
  const tries = new Map<number, number>()
  return startClaimWorker<LabelWork, ClaimTools>(
    {
      name: 'labeler',
      kind: 'label',
      max_claimed: 64,
      pace_ms: 50,
      claim: ledger.claimToLabel,
      async act(work, held) {
        await unlessRefused(intend(work, ledger))
        const intended = work.filter(({ content }) => !ledger.rests(contentThing(content)))
        const act = (item: LabelWork) => labelAsset(item, held, tries)
        const limits = { circuits, signal: soft, feature: 'labels' } as const
        await actOnEach(intended, limits, act, async (left) => {
          const unsent = left.flatMap((item) => withdrawn(item, labelCalls(item)))
          const rested = left.flatMap((item) => labelsRest(item, circuits))
          const facts = [...unsent, ...rested]
          if (facts.length > 0) await ledger.record(facts)
          if (rested.some(({ type }) => type === 'labels_settled')) await circuits.endIdleFeatures()
        })
      },
    },
    tools,
    soft,
  )
}

/** Puts off the labels of a project that refuses them, so that nothing waits for them. */
function labelsRest(work: LabelWork, circuits: Circuits): LabelFact[] {
  const { content, project_id, wanted } = work
  const not_before_ms = circuits.featureRests_ms('labels', project_id)
  if (not_before_ms === undefined) return []
  // Without a label to attach or detach, nothing waits for the service.
  if (labelCalls(work).length === 0) return [{ type: 'labels_settled', content, wanted }]
  return [{ type: 'labels_deferred', content, not_before_ms, wanted }]
}

/** Records the intents before the calls, in one commit for all assets. */
async function intend(work: readonly LabelWork[], ledger: Ledger): Promise<void> {
  const intents = work.map((item) => {
    const names = labelCalls(item).map(({ name }) => name)
    return { type: 'labels_intended' as const, content: item.content, names }
  })
  await ledger.record(intents)
}

/** Records the result of every call before the next call. */
async function labelAsset(
  work: LabelWork,
  tools: ClaimTools,
  tries: Map<number, number>,
): Promise<void> {
  const { content, project_id, wanted } = work
  const { ledger, remote, circuits } = tools
  const calls = labelCalls(work)
  for (const [index, call] of calls.entries()) {
    const outcome = await makeLabelCall(call, work, remote)
    if (!outcome.ok) {
      const unsent = calls.slice(isSurelyUndone(outcome.failure) ? index : index + 1)
      return defer(work, outcome.failure, unsent, tools, tries)
    }
    await circuits.succeeded(call.verb, project_id)
    await ledger.record([outcome.value])
  }
  tries.delete(content)
  await ledger.record([{ type: 'labels_settled', content, wanted }])
}

async function defer(
  work: LabelWork,
  failure: Failure,
  unsent: readonly LabelCall[],
  tools: ClaimTools,
  tries: Map<number, number>,
): Promise<void> {
  const { ledger, circuits, clock, report } = tools
  const { content, project_id, name, wanted } = work
  const facts: LabelFact[] = withdrawn(work, unsent)
  const judged = await unlessUnknown(failure, work, tools)
  const { blame, fact } = await circuits.failed(judged, project_id, { content })
  const rested = labelsRest(work, circuits)
  if (fact === 'untried' || blame === 'feature') {
    if (facts.length + rested.length > 0) await ledger.record([...facts, ...rested])
    return
  }
  const is_passing = fact === 'again' && judged.about !== 'unknown_protocol'
  const tried = tries.get(content) ?? 0
  tries.set(content, tried + 1)
  const wait_ms = backoff_ms(tried, is_passing ? retry : retry_doubtful)
  const not_before_ms = clock.now_ms() + (fact === 'refused' ? refused_ms : wait_ms)
  await ledger.record([...facts, { type: 'labels_deferred', content, not_before_ms, wanted }])
  report.later(`its labels: ${failureText(judged)}`, name)
}

/** A 404 is about the asset, unless the asset can still be read: then it is about the call. */
async function unlessUnknown(
  failure: Failure,
  { project_id, asset_id }: LabelWork,
  { remote }: ClaimTools,
): Promise<Failure> {
  if (failure.about !== 'asset_gone') return failure
  const read = await remote.readAsset(project_id, asset_id)
  return read.ok ? { ...failure, about: 'right' } : failure
}

/** One attach or detach of a label of an asset. */
interface LabelCall {
  verb: 'attach' | 'detach'
  name: string
  /** For a detach; undefined if the answer with the id was lost. */
  label_id: string | undefined
  /** True if an earlier call for this label has no recorded answer. */
  is_in_doubt: boolean
}

/** Calls that reach the wanted labels. Attach first: a moved file always has a label. */
function labelCalls({ wanted, attached, in_doubt }: LabelWork): LabelCall[] {
  const ids = new Map(attached.map(({ name, label_id }) => [name, label_id]))
  const doubted = new Set(in_doubt)
  const call = (verb: LabelCall['verb'], name: string): LabelCall => {
    return { verb, name, label_id: ids.get(name), is_in_doubt: doubted.has(name) }
  }
  const missing = wanted.filter((name) => !ids.has(name) || doubted.has(name))
  const unwanted = [...new Set([...ids.keys(), ...in_doubt])].filter(
    (name) => !wanted.includes(name),
  )
  return [
    ...missing.map((name) => call('attach', name)),
    ...unwanted.map((name) => call('detach', name)),
  ]
}

/** Makes the call. A success returns the fact to record. */
async function makeLabelCall(
  { verb, name, label_id }: LabelCall,
  { content, project_id, asset_id }: LabelWork,
  remote: Remote,
): Promise<Outcome<LabelFact>> {
  if (verb === 'attach') {
    const outcome = await remote.attachLabel(project_id, asset_id, name)
    if (!outcome.ok) return outcome
    return {
      ok: true,
      value: { type: 'label_attached', content, name, label_id: outcome.value.label_id },
    }
  }
  let detached_id = label_id
  if (detached_id === undefined) {
    const labels = await remote.listLabels(project_id)
    if (!labels.ok) return labels
    detached_id = labels.value.find((label) => label.name === name)?.label_id
  }
  // A label that the project does not have cannot be on an asset.
  const outcome =
    detached_id === undefined
      ? undefined
      : await remote.detachLabel(project_id, asset_id, detached_id)
  return outcome && !outcome.ok
    ? outcome
    : { ok: true, value: { type: 'label_detached', content, name } }
}

/**
 * Withdraws the intents of calls that surely had no effect. Otherwise Sluice would take a label of
 * the same name, attached by a user, for its own. An earlier call in doubt keeps its intent.
 */
function withdrawn({ content }: LabelWork, unsent: readonly LabelCall[]): LabelFact[] {
  const names = unsent.filter(({ is_in_doubt }) => !is_in_doubt).map(({ name }) => name)
  return names.length === 0 ? [] : [{ type: 'labels_unsent', content, names }]
}
