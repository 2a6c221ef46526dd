import type { Fact } from '../../../src/domain/fact.ts'
import { fact_table } from '../../../src/ledger/fact-table.ts'

/**
 * How a fact comes about. `worker`: the daemon's own workers tell it. `person`: through the daemon's control socket.
 * `ledger`: today the ledger draws it itself, inside a claim or another fact, and nobody tells it; a scenario tells it directly.
 * `health`: the keeper of health in a daemon that watches, whose restarts test/daemon/health/alerts.test.ts has; a scenario tells it directly.
 */
type Teller = 'worker' | 'person' | 'ledger' | 'health'

/** Checked by the compiler: a new fact does not build until it stands here, and then no test passes until a run is stopped at it. */
const tellers: Record<Fact['type'], Teller> = {
  folder_configured: 'worker',
  folders_removed_except: 'worker',
  folder_online: 'worker',
  folder_offline: 'worker',
  folder_watched: 'worker',
  scan_wanted: 'worker',
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
  accepted: 'person',
  paused: 'person',
  resumed: 'person',
  retried: 'person',
  removals_accepted: 'person',
  trouble_began: 'worker',
  trouble_ended: 'worker',
  daemon_started: 'worker',
  daemon_at_work: 'worker',
  audit_wanted: 'person',
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
  delivery_wanted_again: 'person',
  alert_raised: 'health',
}

export type FactType = Fact['type']
export const fact_types = Object.keys(tellers) as FactType[]

/**
 * Told by those who act on the world outside between two facts: what a lost fact names was done all the same. What the ledger
 * draws itself stands or falls with the fact or the claim that it is drawn in.
 */
export function isActedOn(type: FactType): boolean {
  if (tellers[type] === 'ledger') return false
  return ['content', 'label'].includes(fact_table[type].of) || hasEffects(type)
}

/** Sent, answered and written, delivered: and the fact that says so is lost. */
function hasEffects(type: FactType): boolean {
  return type === 'turn_intended' || type === 'turn_answered' || type === 'run_written'
}

/** What workers tell must come from them; only the rest may be told by a scenario. */
export function mayBeSaid(type: FactType): boolean {
  return tellers[type] !== 'worker'
}
