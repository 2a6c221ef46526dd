import { minute_ms } from '../../base/time/time.ts'
import { isUsable, lossOf } from '../../domain/asset.ts'
import type { ListedAsset } from '../../domain/audit.ts'
import type { Fact } from '../../domain/fact.ts'
import { type AuditState, expectedAssets, type UnauditedAsset } from '../../ledger/audit-work.ts'
import { contentThing } from '../../ledger/refused-facts.ts'
import { type AssetRecord, assetIdOf, assets_a_page, isUnfilled } from '../../remote/assets.ts'
import { mayRest } from '../../remote/judge-failure.ts'
import { ListPlace } from '../../remote/list-place.ts'
import type { Call, Outcome } from '../../remote/outcome.ts'
import type { Remote } from '../../remote/remote.ts'
import type { Concern } from '../blamed.ts'
import type { ClaimTools } from '../claim-worker.ts'

const reads_at_once = 4
/** Number of passes over unanswered assets before the round ends without them. */
const max_passes = 3
const unlisted = 'the list of assets cannot be read to its end: Sluice asks for the rest one by one'

/** The audit of one project. It takes turns, each a limited number of calls that ends in facts. */
export function createAuditRound(
  project_id: string,
  { ledger, circuits, report }: ClaimTools,
  { resend, signal }: { resend: boolean; signal: AbortSignal },
) {
  const place = new ListPlace(assetIdOf)
  /** Progress of single reads, for assets that the list did not show as ready. */
  let reading = { round: 0, after: 0, pass: 1, unanswered: 0 }

  /** Makes one turn: a list page or some single reads. Returns their number; 0 without a round. */
  async function turn(
    { round, running }: AuditState,
    remote: Remote,
    max_reads: number,
  ): Promise<number> {
    if (!running) return 0
    if (!running.listed) return list(round, running.cursor, remote)
    return read(round, Math.min(reads_a_turn, max_reads), remote)
  }

  /** Checks only whether the project can be reached. */
  async function probe(remote: Remote): Promise<void> {
    await noted('list', await remote.listAssets(project_id, { limit: 1 }))
  }

  async function list(round: number, cursor: string | undefined, remote: Remote): Promise<number> {
    const outcome = await remote.listAssets(project_id, { after_id: place.afterId(cursor) })
    const refused = outcome.ok ? 'unsaid' : place.refused(outcome.failure)
    if (refused === 'anew') await record({ type: 'audit_round_began', project_id })
    if (refused === 'lost') await endList(round)
    // A refused cursor says nothing about the service or the project.
    if (refused !== 'unsaid') return 0
    if (!(await noted('list', outcome)) || !outcome.ok) return 1
    const items = place.take(outcome.value)?.map(listedAsset)
    const { next } = outcome.value
    if (items) await record({ type: 'assets_listed', project_id, round, cursor: next, items })
    else await endList(round)
    return 1
  }

  /** Ends the list early. What it did not show is read asset by asset. */
  async function endList(round: number): Promise<void> {
    report.audit(project_id, unlisted, 'warn')
    await record({ type: 'assets_listed', project_id, round, cursor: undefined, items: [] })
  }

  /** Reads the assets one by one that were on no page, or not ready there. */
  async function read(round: number, limit: number, remote: Remote): Promise<number> {
    if (reading.round !== round) reading = { round, after: 0, pass: 1, unanswered: 0 }
    const mine = reading
    const query = { project_id, after: mine.after, limit }
    const { assets, next } = await ledger.unaudited(query)
    let unanswered = 0
    for (let from = 0; from < assets.length; from += reads_at_once) {
      const some = assets.slice(from, from + reads_at_once)
      const outcomes = await Promise.all(some.map((asset) => readOne(asset, remote)))
      unanswered += outcomes.filter((outcome) => outcome === 'unanswered').length
      // Repeat all of these later, without those known by then.
      if (outcomes.includes('hold') || signal.aborted) return assets.length
    }
    mine.unanswered += unanswered
    if (next !== undefined) mine.after = next
    else await passEnded(round)
    return assets.length
  }

  async function passEnded(round: number): Promise<void> {
    const { pass, unanswered } = reading
    if (unanswered > 0 && pass < max_passes) {
      reading = { round, after: 0, pass: pass + 1, unanswered: 0 }
      return
    }
    await record({ type: 'audit_round_ended', project_id, round, unanswered, resend })
  }

  async function readOne(
    { content, asset_id, name }: UnauditedAsset,
    remote: Remote,
  ): Promise<'known' | 'unanswered' | 'hold'> {
    if (ledger.rests(contentThing(content))) return 'unanswered'
    const outcome = await remote.readAsset(project_id, asset_id)
    const goes_on = await noted('read', await orOfTheHost(outcome, remote), { content })
    if (!goes_on || signal.aborted) return 'hold'
    if (!outcome.ok && outcome.failure.about !== 'asset_gone') return 'unanswered'
    const loss = lossOf({ content, asset_id }, outcome.ok ? outcome.value : 'gone')
    if (loss) report.later(`audit: ${loss.type}`, name)
    const reading = outcome.ok ? outcome.value.reading : undefined
    await record(loss ?? { type: 'asset_confirmed', content, reading })
    return 'known'
  }

  /** If one asset gives bad answers, the service may be fine: then the outcome of a list counts. */
  async function orOfTheHost(outcome: Outcome<unknown>, remote: Remote): Promise<Outcome<unknown>> {
    if (outcome.ok || outcome.failure.retry_after_ms !== undefined) return outcome
    return mayRest(outcome.failure) ? remote.listAssets(project_id, { limit: 1 }) : outcome
  }

  /** False if the service must not be asked further. */
  async function noted(call: Call, outcome: Outcome<unknown>, asked?: Concern): Promise<boolean> {
    if (!outcome.ok) {
      // A list was asked in place of the asset.
      const concern = outcome.failure.call === call ? asked : undefined
      return (await circuits.failed(outcome.failure, project_id, concern)).fact !== 'untried'
    }
    await circuits.succeeded(call, project_id)
    return true
  }

  /** A stopped auditor records nothing more: another may audit the project now. */
  async function record(fact: Fact): Promise<void> {
    if (!signal.aborted) await ledger.record([fact])
  }

  return { turn, probe }
}

/** If the status does not say so, an asset without bytes counts as a slot. */
function listedAsset(record: AssetRecord): ListedAsset {
  const { asset_id, status, raw_status, shown_name: name, reading } = record
  if (isUsable(record)) return { asset_id, status: 'ready', name, reading }
  // One of which nothing was read is asked for alone: that answer shows the loss.
  if (status === 'ready' || raw_status === '') return { asset_id, status: 'other', name }
  const is_slot =
    status === 'uploaded' || (status !== 'failed' && isUnfilled(record, Number.POSITIVE_INFINITY))
  return { asset_id, status: is_slot ? 'slot' : 'other', name }
}

/**
 * One turn is a list page, which the service must compose, or this many quick single reads.
 * @internal
 */
export const reads_a_turn = 10

/** Minimum turns per minute of a requested audit: a list of a million takes 1.5 hours. */
const asked_per_minute = 120
/** Ten turns a second do not burden the service. A round that needs more takes longer. */
const max_per_minute = 600
/** Share of its time that a round aims for. The rest is reserve for pauses and restarts. */
const aim = 0.8
/**
 * A late round does not hurry: the rest is spread over this share of the time. As each turn
 * computes it anew, the whole takes several times as long. It still ends in time, even if a tenth
 * of millions needs single reads.
 */
const min_share = 0.01

/** Pause after a turn, so that the round ends in time but no faster than necessary. */
export function pauseAfterTurn_ms(
  { running, last, expected }: Pick<AuditState, 'running' | 'last' | 'expected'>,
  settings: { pages_per_minute: number; round_ms: number },
  now_ms: number,
): number {
  if (!running) return 0
  const { pages_per_minute, round_ms } = settings
  const elapsed_ms = Math.max(0, now_ms - running.began_ms)
  const time_left_ms = Math.max(round_ms * aim - elapsed_ms, round_ms * min_share)
  const usual = running.asked ? Math.max(pages_per_minute, asked_per_minute) : pages_per_minute
  const needed = turnsLeft(running, last?.pages ?? 0, expected) / (time_left_ms / minute_ms)
  return minute_ms / Math.min(Math.max(usual, needed), Math.max(usual, max_per_minute))
}

function turnsLeft(
  running: NonNullable<AuditState['running']>,
  last_pages: number,
  expected: number,
): number {
  if (running.listed) return Math.max(1, (expected - expectedAssets(running.counts)) / reads_a_turn)
  const pages = Math.max(last_pages, expected / assets_a_page)
  return Math.max(1, pages - running.pages)
}
