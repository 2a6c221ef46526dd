import { type Heartbeat, heldBy } from '../../base/run/heartbeat.ts'
import { longest_rest_ms, runWorker, type Worker } from '../../base/run/worker.ts'
import { counted, formatCount } from '../../base/text/format.ts'
import { hour_ms, minute_ms, second_ms } from '../../base/time/time.ts'
import { isMassRemoval } from '../../domain/audit.ts'
import type { About } from '../../domain/trouble.ts'
import { type AuditState, expectedAssets } from '../../ledger/audit-work.ts'
import type { Remote } from '../../remote/remote.ts'
import type { ClaimTools } from '../claim-worker.ts'
import { createAuditRound, pauseAfterTurn_ms } from './audit-round.ts'

export interface AuditSettings {
  projects: readonly string[]
  pages_per_minute: number
  round_hours: number
  on_remote_delete: 'respect' | 'resend'
}

/** Wait of a new auditor before it begins unasked: after a start, scans and uploads come first. */
const first_turn_ms = minute_ms
/** Wait while a project's circuit is open: its pause may be short. */
const check_again_ms = 5 * second_ms

/**
 * Compares the ledger with the service at a low rate: round after round for each project, one turn
 * at a time. A service or project that cannot be asked pauses the audit, and changes nothing.
 */
export function startAuditor(
  tools: ClaimTools,
  settings: AuditSettings,
  signal: AbortSignal,
): Worker {
  const { ledger, circuits, clock, heartbeats, report } = tools
  const round_ms = settings.round_hours * hour_ms
  const resend = settings.on_remote_delete === 'resend'
  const rounds = new Map(
    settings.projects.map((id) => [id, createAuditRound(id, tools, { resend, signal })]),
  )
  const turned_ms = new Map<string, number>()
  const awake_ms = clock.monotonic_ms() + first_turn_ms

  async function step(_signal: AbortSignal, heartbeat: Heartbeat): Promise<{ wait_ms: number }> {
    const { limit, wait_ms, except_projects } = circuits.allowance(['api'], 'audit')
    if (limit === 0) return { wait_ms }
    const states = (await ledger.audits()).filter(({ project_id }) => rounds.has(project_id))
    const free = states.filter(({ project_id }) => !except_projects.includes(project_id))
    const state = next(free)
    const calls = state ? await takeTurn(state, heldBy(heartbeat, tools.remote), limit) : 0
    if (calls === 0 && limit === 1) circuits.unused()
    if (!state) return { wait_ms: restUntilNext(free, except_projects.length > 0) }
    const now = await stateOf(state.project_id)
    reportEnd(state, now)
    if (!now?.running) return { wait_ms: 0 }
    const sharers = states.filter(({ running }) => running).length
    const pace = { pages_per_minute: settings.pages_per_minute, round_ms }
    return { wait_ms: pauseAfterTurn_ms(now, pace, clock.now_ms()) / Math.max(1, sharers) }
  }

  async function takeTurn(state: AuditState, remote: Remote, limit: number): Promise<number> {
    const { project_id } = state
    const round = rounds.get(project_id)!
    turned_ms.set(project_id, clock.monotonic_ms())
    if (!isDue(state)) {
      await round.probe(remote)
      return 1
    }
    let at = state
    // A requested round runs to its end, even if it is requested again; then another begins.
    if (!state.running || (state.wanted && !state.running.asked)) {
      await ledger.record([{ type: 'audit_round_began', project_id }])
      at = (await stateOf(project_id)) ?? state
    }
    return round.turn(at, remote, limit)
  }

  function reportEnd({ project_id, running }: AuditState, after: AuditState | undefined): void {
    if (!running?.listed || after?.running || !after?.last) return
    const { counts } = after.last
    const expected = expectedAssets(counts)
    const is_mass = isMassRemoval({ removed: counts.missing, expected })
    const is_whole = counts.usable === expected
    report.audit(
      project_id,
      `${formatCount(counts.usable)} of ${counted(expected, 'asset')} usable`,
      is_whole ? 'info' : 'warn',
    )
    if (is_mass)
      report.audit(
        project_id,
        `${formatCount(counts.missing)} are gone on the service: the project seems emptied or replaced; check project_id in the configuration`,
        'warn',
      )
  }

  /** A requested audit comes first, then the project whose last turn is the oldest. */
  function next(states: readonly AuditState[]): AuditState | undefined {
    const is_young = clock.monotonic_ms() < awake_ms
    const isAsked = ({ wanted, running }: AuditState) => wanted || running?.asked === true
    const due = states.filter((state) => {
      return ((isDue(state) || isUnmet(state)) && !is_young) || isAsked(state) || isTripped(state)
    })
    const place = (state: AuditState) => (isAsked(state) ? 0 : 1)
    const turned = ({ project_id }: AuditState) =>
      turned_ms.get(project_id) ?? Number.NEGATIVE_INFINITY
    return due.sort((a, b) => place(a) - place(b) || turned(a) - turned(b))[0]
  }

  /** A start in the future was noted before the clock was turned back: a new round is due. */
  function isDue({ wanted, running, last }: AuditState): boolean {
    if (wanted || running || !last) return true
    const since_ms = clock.now_ms() - last.began_ms
    return since_ms >= round_ms || since_ms < -minute_ms
  }

  /** A new auditor (start, reload) knows no troubles: it asks each project once, due or not. */
  function isUnmet({ project_id }: AuditState): boolean {
    return !turned_ms.has(project_id)
  }

  /** If no other worker calls the service, only the auditor can find out that it works again. */
  function isTripped({ project_id }: AuditState): boolean {
    const mine: readonly About[] = ['account', 'api', `project:${project_id}`]
    return circuits.tripped().some(({ about }) => mine.includes(about))
  }

  function restUntilNext(free: readonly AuditState[], some_rest: boolean): number {
    const young_ms = Math.max(0, awake_ms - clock.monotonic_ms())
    const due_ms = free.map(({ last }) => (last ? last.began_ms + round_ms - clock.now_ms() : 0))
    const max_ms = some_rest ? check_again_ms : longest_rest_ms
    return Math.min(Math.max(1, young_ms, Math.min(...due_ms)), max_ms)
  }

  async function stateOf(project_id: string): Promise<AuditState | undefined> {
    return (await ledger.audits()).find((state) => state.project_id === project_id)
  }

  const on_error = (error: unknown) => report.fault('auditor', error)
  return runWorker({ name: 'auditor', step, clock, heartbeats, signal, on_error })
}
