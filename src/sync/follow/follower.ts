import { listOf } from '../../base/run/group.ts'
import { allEnded } from '../../base/run/worker.ts'
import type { Fact } from '../../domain/fact.ts'
import type { FollowWork } from '../../ledger/ledger.ts'
import { unlessRefused } from '../../ledger/refused-facts.ts'
import { type AssetRecord, walkAssets } from '../../remote/assets.ts'
import { type ClaimTools, type ClaimWorker, startClaimWorker } from '../claim-worker.ts'
import { type FollowSettings, followFact, unreadFact } from './follow-verdict.ts'

export interface FollowTools extends ClaimTools {
  follow: FollowSettings
}

/** Maximum single reads per round, for assets not on the list. The next round goes on. */
const max_single_reads = 50
const reads_at_once = 4

/** Follows assets in ingest until they are ready or failed. A slow asset is not failed. */
export function startFollower(tools: FollowTools, signal: AbortSignal): ClaimWorker {
  return startClaimWorker<FollowWork, FollowTools>(
    {
      name: 'follower',
      kind: 'follow',
      max_claimed: 1_000,
      pace_ms: 100,
      claim: tools.ledger.claimToFollow,
      async act(work, held) {
        const groups = groupBy(work, ({ project_id, is_ready }) => `${is_ready} ${project_id}`)
        for (const items of groups.values()) await followProject(items, held, signal)
      },
    },
    tools,
    signal,
  )
}

function groupBy(
  work: readonly FollowWork[],
  keyOf: (item: FollowWork) => string,
): Map<string, FollowWork[]> {
  const groups = new Map<string, FollowWork[]>()
  for (const item of work) listOf(groups, keyOf(item)).push(item)
  return groups
}

/**
 * Reads the pending assets of one project: list pages if they are many, the rest one by one. Of
 * ready ones a list may show less than is known.
 */
async function followProject(
  work: readonly FollowWork[],
  { ledger, remote, circuits, clock, report, follow }: FollowTools,
  signal: AbortSignal,
): Promise<void> {
  const [{ project_id, is_ready }] = work as [FollowWork]
  // Two contents may share an asset: the service took the bytes of one for those of the other.
  const pending = groupBy(work, ({ asset_id }) => asset_id)
  if (!is_ready && pending.size >= follow.list_from && !(await readPages())) return
  await readSingly()

  /** Reads a limited number of pages. False if the service must not be asked further. */
  async function readPages(): Promise<boolean> {
    const max_pages = Math.ceil(pending.size / 50) + 10
    for await (const listed of walkAssets(remote, project_id, max_pages)) {
      // Assets that the list does not show are asked for singly.
      if (!listed.ok) return (await circuits.failed(listed.failure, project_id)).fact !== 'untried'
      await circuits.succeeded('list', project_id)
      // Items without a status are read singly.
      await take(listed.value.items.filter(({ raw_status }) => raw_status !== ''))
      if (pending.size === 0 || signal.aborted) break
    }
    return true
  }

  async function readSingly(): Promise<void> {
    const ids = [...pending.keys()].slice(0, max_single_reads)
    for (let from = 0; from < ids.length && !signal.aborted; from += reads_at_once) {
      const rounds = ids.slice(from, from + reads_at_once).map((asset_id) => readOne(asset_id))
      if ((await allEnded(rounds)).includes('stop')) return
    }
  }

  async function readOne(asset_id: string): Promise<'go on' | 'stop'> {
    const outcome = await remote.readAsset(project_id, asset_id)
    if (outcome.ok) {
      await circuits.succeeded('read', project_id)
      await take([outcome.value])
      return 'go on'
    }
    const { failure } = outcome
    const works = pending.get(asset_id) ?? []
    const concern = works[0] && { content: works[0].content }
    const { fact } = await circuits.failed(failure, project_id, concern)
    if (fact === 'untried') return 'stop'
    pending.delete(asset_id)
    // The project may be out of reach and no longer configured. Then nothing is left to wait for.
    const is_left = failure.about === 'project'
    await record(
      works.flatMap((work): Fact | [] => {
        if (is_left) return { type: 'asset_vanished', content: work.content }
        return unreadFact(work, failure, fact === 'gone', clock.now_ms(), follow) ?? []
      }),
    )
    return 'go on'
  }

  async function take(records: readonly AssetRecord[]): Promise<void> {
    const facts: Fact[] = []
    for (const record of records) {
      for (const work of pending.get(record.asset_id) ?? []) {
        const fact = followFact(work, record, clock.now_ms(), follow)
        facts.push(fact)
        if (fact.type === 'asset_ready') report.ready(work.name)
        else if (fact.type === 'content_refused') report.refused(fact.error.message, work.name)
        else if (fact.type === 'ingest_continues' && fact.note && !work.error_code)
          report.later(fact.note.message, work.name)
      }
      pending.delete(record.asset_id)
    }
    await record(facts)
  }

  async function record(facts: readonly Fact[]): Promise<void> {
    // A refused fact stops the work on its content alone.
    if (facts.length > 0) await unlessRefused(ledger.record(facts))
  }
}
