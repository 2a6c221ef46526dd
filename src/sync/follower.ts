import { listOf } from '../base/group.ts'
import { allEnded } from '../base/worker.ts'
import type { ContentFact } from '../domain/fact.ts'
import type { FollowWork } from '../ledger/ledger.ts'
import type { AssetRecord } from '../remote/assets.ts'
import { assets_a_page } from '../remote/list-cursor.ts'
import type { Failure } from '../remote/outcome.ts'
import { type ClaimTools, type ClaimWorker, startClaimWorker } from './claim-worker.ts'
import { type FollowPolicy, followFact, vanishedFact } from './follow-verdict.ts'

export interface FollowTools extends ClaimTools {
  policy: FollowPolicy
  /** From so many pending ones on, list pages are read: one tells 100 of them. */
  list_from: number
}

/** Single reads of one round, where the lists did not show an asset; the others come back in the next round. */
const single_reads_most = 50
const reads_at_once = 4

/** Follows what the service is reading, until it is ready or failed. Slow is not failed. */
export function startFollower(tools: FollowTools, signal: AbortSignal): ClaimWorker {
  return startClaimWorker<FollowWork, FollowTools>(
    {
      name: 'follower',
      kind: 'follow',
      max_claimed: 1_000,
      pace_ms: 100,
      claim: (limit, options) => tools.ledger.claimToFollow(limit, options),
      async act(work, held) {
        for (const [project_id, items] of byProject(work)) await new FollowRound(held, project_id, items, signal).run()
      },
    },
    tools,
    signal,
  )
}

function byProject(work: readonly FollowWork[]): Map<string, FollowWork[]> {
  const groups = new Map<string, FollowWork[]>()
  for (const item of work) listOf(groups, item.project_id).push(item)
  return groups
}

/** One look at what is pending in one project. */
class FollowRound {
  readonly #tools: FollowTools
  readonly #project_id: string
  readonly #pending: Map<string, FollowWork[]>
  readonly #signal: AbortSignal

  constructor(tools: FollowTools, project_id: string, work: readonly FollowWork[], signal: AbortSignal) {
    this.#tools = tools
    this.#project_id = project_id
    this.#signal = signal
    // Two contents may share an asset: the service took the bytes of one for those of the other.
    this.#pending = new Map()
    for (const item of work) listOf(this.#pending, item.asset_id).push(item)
  }

  async run(): Promise<void> {
    if (this.#pending.size >= this.#tools.list_from && !(await this.#readPages())) return
    await this.#readSingly()
  }

  /** Bounded: what is not on the pages is read alone. Answers false where the service is not to be asked on. */
  async #readPages(): Promise<boolean> {
    const pages_most = Math.ceil(this.#pending.size / 50) + 10
    let after_id: string | undefined
    for (let page = 0; page < pages_most && this.#pending.size > 0 && !this.#signal.aborted; page++) {
      const listed = await this.#tools.remote.listAssets(this.#project_id, { after_id, limit: assets_a_page })
      if (!listed.ok && this.#isLeft(listed.failure)) return true
      if (!listed.ok) return (await this.#tools.circuits.failed(listed.failure, this.#project_id, 'api')) === 'count'
      await this.#tools.circuits.succeeded(this.#project_id, 'api')
      await this.#take(listed.value.items)
      after_id = listed.value.next
      if (after_id === undefined) break
    }
    return true
  }

  async #readSingly(): Promise<void> {
    const ids = [...this.#pending.keys()].slice(0, single_reads_most)
    for (let from = 0; from < ids.length && !this.#signal.aborted; from += reads_at_once) {
      const rounds = ids.slice(from, from + reads_at_once).map((asset_id) => this.#readOne(asset_id))
      if ((await allEnded(rounds)).includes('stop')) return
    }
  }

  async #readOne(asset_id: string): Promise<'go on' | 'stop'> {
    const { remote, circuits, clock, policy } = this.#tools
    const outcome = await remote.readAsset(this.#project_id, asset_id)
    if (outcome.ok) {
      await circuits.succeeded(this.#project_id, 'api')
      await this.#take([outcome.value])
      return 'go on'
    }
    const { failure } = outcome
    const works = this.#pending.get(asset_id) ?? []
    if (this.#isLeft(failure)) {
      this.#pending.delete(asset_id)
      await this.#record(works.map(({ content }) => ({ type: 'asset_vanished', content })))
      return 'go on'
    }
    if (failure.about === 'asset_gone') {
      this.#pending.delete(asset_id)
      await this.#record(works.map((work) => vanishedFact(work, failure, clock.now_ms(), policy)))
      return 'go on'
    }
    const concern = works[0] && { content: works[0].content }
    if ((await circuits.failed(failure, this.#project_id, 'api', concern)) === 'hold') return 'stop'
    const note = { code: failure.code ?? failure.about, message: failure.message }
    this.#pending.delete(asset_id)
    await this.#record(
      works.map(({ content, attempts }) => {
        const not_before_ms = clock.now_ms() + policy.wait_ms(attempts)
        return { type: 'ingest_continues', content, not_before_ms, note }
      }),
    )
    return 'go on'
  }

  /** The configuration has left the project, and it went away or was closed to us: nobody waits for what is in it. */
  #isLeft({ about }: Failure): boolean {
    return about === 'project' && !this.#tools.circuits.asksFor(this.#project_id)
  }

  async #take(records: readonly AssetRecord[]): Promise<void> {
    const { clock, policy, report } = this.#tools
    const facts: ContentFact[] = []
    for (const record of records) {
      for (const work of this.#pending.get(record.asset_id) ?? []) {
        const fact = followFact(work, record, clock.now_ms(), policy)
        facts.push(fact)
        if (fact.type === 'asset_ready') report.ready(work.name)
        else if (fact.type === 'content_refused') report.refused(fact.error.message, work.name)
        else if (fact.type === 'ingest_continues' && fact.note && !work.error_code)
          report.later(fact.note.message, work.name)
      }
      this.#pending.delete(record.asset_id)
    }
    await this.#record(facts)
  }

  async #record(facts: readonly ContentFact[]): Promise<void> {
    if (facts.length > 0) await this.#tools.ledger.record(facts)
  }
}
