import type { Fact } from '../../../src/domain/fact.ts'
import { fact_table } from '../../../src/ledger/fact-table.ts'

/**
 * The origin of a fact. `worker`: the daemon's own workers record it. `person`: it comes through
 * the daemon's control socket. `ledger`: the ledger derives it inside a claim or another fact.
 * `health`: the health keeper of a daemon in watch mode (test/daemon/health/alerts.test.ts restarts
 * it). A scenario records those of `ledger` and `health` directly.
 */
type Origin = 'worker' | 'user' | 'ledger' | 'health'

/**
 * The compiler checks this table: a new fact must be added here. Then no test passes until a run is
 * stopped at it.
 */
const origins: Record<Fact['type'], Origin> = {
  folder_configured: 'worker',
  folders_removed_except: 'worker',
  folder_online: 'worker',
  folder_offline: 'worker',
  folder_watched: 'worker',
  scan_wanted: 'worker',
  checks_wanted: 'user',
  scan_finished: 'worker',
  file_seen: 'worker',
  file_settled: 'worker',
  files_found: 'worker',
  file_gone: 'worker',
  file_ignored: 'worker',
  file_skipped: 'worker',
  file_blocked: 'worker',
  file_changed: 'worker',
  slot_intended: 'worker',
  slot_reserved: 'worker',
  asset_found: 'worker',
  bytes_accepted: 'worker',
  bytes_missing: 'worker',
  ingest_started: 'worker',
  ingest_continues: 'worker',
  asset_ready: 'worker',
  content_refused: 'worker',
  deferred: 'worker',
  slot_lost: 'worker',
  hit_dead: 'worker',
  asset_vanished: 'worker',
  asset_missing: 'worker',
  asset_unready: 'worker',
  asset_failed: 'worker',
  asset_returned: 'ledger',
  type_refused: 'ledger',
  // A worker records these after several refusals, which it counts in memory.
  type_rests: 'ledger',
  types_freed: 'ledger',
  content_orphaned: 'ledger',
  content_wanted_again: 'ledger',
  removal_intended: 'ledger',
  asset_removed: 'worker',
  asset_kept: 'worker',
  removal_deferred: 'worker',
  labels_intended: 'worker',
  labels_unsent: 'worker',
  label_attached: 'worker',
  label_detached: 'worker',
  labels_settled: 'worker',
  labels_deferred: 'worker',
  name_intended: 'worker',
  asset_named: 'worker',
  name_deferred: 'worker',
  accepted: 'user',
  paused: 'user',
  resumed: 'user',
  retried: 'user',
  removals_accepted: 'user',
  trouble_began: 'worker',
  trouble_ended: 'worker',
  daemon_started: 'worker',
  daemon_at_work: 'worker',
  audit_wanted: 'user',
  audit_round_began: 'worker',
  assets_listed: 'worker',
  asset_confirmed: 'worker',
  audit_round_ended: 'worker',
  prompts_configured: 'worker',
  covered_restored: 'worker',
  run_due: 'worker',
  run_passed_over: 'worker',
  schedule_reset: 'worker',
  run_skipped: 'worker',
  run_planned: 'worker',
  turn_intended: 'worker',
  turn_unsent: 'worker',
  turn_lost: 'worker',
  turn_asked: 'worker',
  turn_answered: 'worker',
  run_written: 'worker',
  run_failed: 'worker',
  run_deferred: 'worker',
  delivered: 'worker',
  delivery_deferred: 'worker',
  delivery_failed: 'worker',
  delivery_wanted_again: 'user',
  alert_raised: 'health',
}

export type FactType = Fact['type']
export const fact_types = Object.keys(origins) as FactType[]

/**
 * Whether workers act on the service between this fact and the next: the action of a lost fact has
 * still happened. Facts that the ledger derives are committed together with their cause.
 */
export function isActedOn(type: FactType): boolean {
  if (origins[type] === 'ledger') return false
  return ['content', 'label', 'name'].includes(fact_table[type].of) || hasEffects(type)
}

/** The question was sent, or the report written or delivered, before the fact is lost. */
function hasEffects(type: FactType): boolean {
  return type === 'turn_intended' || type === 'turn_answered' || type === 'run_written'
}

/** True if a scenario may record the fact. Facts of workers must come from the workers. */
export function mayBeScripted(type: FactType): boolean {
  return origins[type] !== 'worker'
}
