import { backoff_ms, day_ms, hour_ms, second_ms } from '../../base/time/time.ts'
import { lossOf } from '../../domain/asset.ts'
import type { RemovalFact } from '../../domain/removal.ts'
import type { RemoveWork } from '../../ledger/ledger.ts'
import { type Failure, failureText, isSurelyUndone, noteOf } from '../../remote/outcome.ts'
import { actOnEach, type ClaimTools, type ClaimWorker, startClaimWorker } from '../claim-worker.ts'

/** A claimed asset is removed even if its file returns meanwhile, so few are claimed at a time. */
const max_claimed = 16
/** Collects wakes: removals are not urgent, and many facts wake the remover. */
const pace_ms = 250
const retry = { first_ms: second_ms, max_ms: hour_ms }
/** Wait after a refused removal: the service may support it later, or grant the right. */
const refused_ms = day_ms

/** Removes assets that no file needs, if the folder's policy allows. The ledger selects them. */
export function startRemover(tools: ClaimTools, { soft }: { soft: AbortSignal }): ClaimWorker {
  return startClaimWorker<RemoveWork, ClaimTools>(
    {
      name: 'remover',
      kind: 'remove',
      max_claimed,
      pace_ms,
      claim: tools.ledger.claimToRemove,
      act(work, held) {
        const { circuits } = tools
        const act = (item: RemoveWork) => removeAsset(item, held)
        return actOnEach(work, { circuits, signal: soft }, act, (left) =>
          forgetIntents(left, tools),
        )
      },
    },
    tools,
    soft,
  )
}

/** Ends the removal intents of work that was not requested, now or by an earlier claim. */
async function forgetIntents(
  work: readonly RemoveWork[],
  { ledger, clock }: ClaimTools,
): Promise<void> {
  const fresh = work.filter(({ is_fresh }) => is_fresh)
  const not_before_ms = clock.now_ms()
  if (fresh.length === 0) return
  await ledger.record(
    fresh.map(({ content }) => ({ type: 'asset_kept' as const, content, not_before_ms })),
  )
}

async function removeAsset(work: RemoveWork, tools: ClaimTools): Promise<void> {
  if (work.is_doubted) return askWhetherThere(work, tools)
  const outcome = await tools.remote.removeAsset(work.project_id, work.asset_id)
  if (outcome.ok) return afterRemoval(work, tools)
  if (outcome.failure.about === 'asset_gone') return afterGone(work, outcome.failure, tools)
  return defer(work, outcome.failure, tools)
}

/**
 * For a removal that may be unwanted now, after an earlier request with an unknown result. It only
 * reads the asset. One that exists is kept; if it is not ready, its content is not ready either.
 */
async function askWhetherThere(work: RemoveWork, tools: ClaimTools): Promise<void> {
  const { content, project_id, asset_id } = work
  const { ledger, remote, circuits, clock } = tools
  const read = await remote.readAsset(project_id, asset_id)
  if (!read.ok)
    return read.failure.about === 'asset_gone'
      ? afterRemoval(work, tools)
      : defer(work, read.failure, tools)
  await circuits.succeeded('read', project_id)
  const loss = lossOf(work, read.value)
  await ledger.record([
    { type: 'asset_kept', content, not_before_ms: clock.now_ms() },
    ...(loss ? [loss] : []),
  ])
}

async function afterRemoval(
  { content, project_id, name }: RemoveWork,
  tools: ClaimTools,
): Promise<void> {
  await tools.circuits.succeeded('remove', project_id)
  await tools.ledger.record([{ type: 'asset_removed', content }])
  tools.report.removed(name)
}

/** The asset is gone, unless it can still be read: then the service does not know the call. */
async function afterGone(work: RemoveWork, failure: Failure, tools: ClaimTools): Promise<void> {
  const read = await tools.remote.readAsset(work.project_id, work.asset_id)
  if (read.ok) return keep(work, { ...failure, about: 'right' }, tools)
  if (read.failure.about !== 'asset_gone') return defer(work, read.failure, tools)
  return afterRemoval(work, tools)
}

/** The service refuses it: this removal, or all removals in the project (`right`). */
async function keep(
  { content, name }: RemoveWork,
  failure: Failure,
  { ledger, circuits, clock, report }: ClaimTools,
): Promise<void> {
  circuits.unused()
  const not_before_ms = clock.now_ms() + refused_ms
  const kept: RemovalFact = { type: 'asset_kept', content, not_before_ms, error: noteOf(failure) }
  const by_service = failure.about === 'right'
  await ledger.record([by_service ? { ...kept, by_service } : kept])
  report.later(`it stays on the service: ${failureText(failure)}`, name)
}

/** Keeps or defers after a failure. The intent ends only if the call surely had no effect. */
async function defer(work: RemoveWork, failure: Failure, tools: ClaimTools): Promise<void> {
  const { content, project_id, name, attempts, is_fresh } = work
  const { ledger, circuits, clock, report } = tools
  const { blame, fact } = await circuits.failed(failure, project_id, { content })
  if (fact === 'refused') return keep(work, failure, tools)
  const is_refused = blame === 'token' || blame === 'project'
  const not_before_ms = clock.now_ms() + backoff_ms(attempts, retry)
  if (is_fresh && (is_refused || isSurelyUndone(failure))) {
    await ledger.record([{ type: 'asset_kept', content, not_before_ms }])
    return
  }
  await ledger.record([
    { type: 'removal_deferred', content, not_before_ms, error: noteOf(failure) },
  ])
  if (fact !== 'untried') report.later(`its removal on the service: ${failure.message}`, name)
}
