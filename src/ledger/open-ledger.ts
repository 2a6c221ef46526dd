import { existsSync } from 'node:fs'
import { startThread, type Thread } from '../base/thread.ts'
import type { Clock } from '../base/time.ts'
import type { Fact } from '../domain/fact.ts'
import { packFacts } from './fact-wire.ts'
import type { Ledger, LedgerLimits, WorkKind } from './ledger.ts'
import { refuseNoRight } from './no-right.ts'
import { refuseOpenRebuild } from './open-rebuild.ts'
import { ledgerFile, lockLedger, makeStateDirectory, removeDatabase, ticketsFile } from './state-directory.ts'
import type { LedgerThreadData } from './thread.ts'

export interface LedgerOptions {
  /** Made 0700 where it is missing; holds ledger.db, tickets.db and lock.db. */
  state_dir: string
  limits: LedgerLimits
  clock: Clock
}

/**
 * Opens the ledger for writing: one process at a time. Errors: `ledger.locked` when another process holds it, `account.no_right`,
 * `database.*`, `config.rebuild_open`, and `config.state_dir` for a directory that is not for us to close.
 */
export async function openLedger({ state_dir, limits, clock }: LedgerOptions): Promise<Ledger> {
  refuseNoRight(state_dir, [ledgerFile(state_dir), ticketsFile(state_dir)], 'write')
  makeStateDirectory(state_dir)
  const lock = lockLedger(state_dir)
  try {
    refuseOpenRebuild(state_dir)
  } catch (error) {
    lock.release()
    throw error
  }
  // Tickets of a ledger that was lost name contents by numbers that a new one gives to others.
  if (!existsSync(ledgerFile(state_dir))) removeDatabase(ticketsFile(state_dir))
  const data: LedgerThreadData = {
    ledger_file: ledgerFile(state_dir),
    tickets_file: ticketsFile(state_dir),
    limits,
  }
  // Its rows live for the length of a call; left to itself, a rescan that reads them all takes 12 MB more.
  const thread = startThread('ledger/thread', data, { young_mb: 4 })
  try {
    await thread.call('open', undefined)
  } catch (error) {
    await thread.terminate()
    lock.release()
    throw error
  }
  return ledgerOn(thread, clock, async () => {
    try {
      await thread.call('close', undefined)
    } finally {
      await thread.terminate()
      lock.release()
    }
  })
}

function ledgerOn(thread: Thread, clock: Clock, close: () => Promise<void>): Ledger {
  const listeners = new Set<(kinds: ReadonlySet<WorkKind>) => void>()
  const call = <Result>(method: string, argument: unknown) =>
    thread.call<Result>(method, { argument, now_ms: clock.now_ms() })
  const claim = (method: string) => (limit: number, options?: { except_projects: readonly string[] }) =>
    call<never>(method, { limit, except: options?.except_projects ?? [] })
  return {
    async record(facts) {
      await call('record', packFacts(facts))
      const kinds = workMadeBy(facts)
      for (const listener of listeners) listener(kinds)
    },
    folders: () => call('folders', undefined),
    filesAt: (folder, paths) => call('filesAt', { folder, paths }),
    differences: (stretch) => call('differences', stretch),
    wasBeforeStart: (folder, stat) => call('wasBeforeStart', { folder, stat }),
    claimToLook: (limit, choice) => call('claimToLook', { limit, choice }),
    claimToSend: (limit, { except_projects: except, large }) => call('claimToSend', { limit, except, large }),
    claimToFollow: claim('claimToFollow'),
    claimToLabel: claim('claimToLabel'),
    claimToRemove: claim('claimToRemove'),
    prompts: () => call('prompts', undefined),
    claimRuns: claim('claimRuns'),
    claimDeliveries: claim('claimDeliveries'),
    audits: () => call('audits', undefined),
    unaudited: (query) => call('unaudited', query),
    arrivals: (query) => call('arrivals', query),
    unready: (query) => call('unready', query),
    release: (work, items) => call('release', { work, items }),
    pending: (horizon_ms) => call('pending', clock.now_ms() + horizon_ms),
    dueElsewhere: (except, horizon_ms) => call('dueElsewhere', { except, until_ms: clock.now_ms() + horizon_ms }),
    setLimits: (limits) => call('setLimits', limits),
    tidy: () => call('tidy', undefined),
    onWork(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close,
  }
}

/** Which queues a fact may have filled. Too many wakes cost a query, one too few costs the wait until the next. */
function workMadeBy(facts: readonly Fact[]): Set<WorkKind> {
  const kinds = new Set<WorkKind>()
  for (const fact of facts) for (const kind of wakes[fact.type] ?? []) kinds.add(kind)
  return kinds
}

const wakes: Partial<Record<Fact['type'], readonly WorkKind[]>> = {
  folder_configured: ['look', 'send', 'label', 'remove'],
  folders_removed_except: ['label'],
  folder_online: ['look', 'send', 'remove'],
  file_seen: ['look'],
  file_changed: ['look'],
  file_blocked: ['look'],
  file_settled: ['send', 'label', 'remove'],
  files_found: ['send', 'label', 'remove'],
  file_skipped: ['label'],
  file_gone: ['label', 'remove'],
  file_ignored: ['label'],
  asset_found: ['follow'],
  ingest_started: ['follow'],
  asset_ready: ['label', 'remove'],
  asset_removed: ['send'],
  asset_kept: ['label', 'remove'],
  removals_accepted: ['remove'],
  scan_finished: ['remove'],
  bytes_missing: ['send'],
  slot_lost: ['send'],
  hit_dead: ['send'],
  asset_vanished: ['send'],
  content_wanted_again: ['send'],
  asset_missing: ['look'],
  asset_unready: ['follow'],
  asset_returned: ['label'],
  audit_wanted: ['audit'],
  assets_listed: ['label'],
  audit_round_ended: ['send'],
  accepted: ['look', 'send'],
  retried: ['look', 'send', 'follow'],
  trouble_ended: ['send', 'follow', 'label', 'remove', 'run'],
  resumed: ['send', 'label', 'remove', 'run', 'delivery'],
  scan_wanted: ['scan'],
  prompts_configured: ['prompt', 'run', 'delivery'],
  schedule_reset: ['prompt'],
  run_due: ['run'],
  run_skipped: ['run'],
  run_planned: ['run'],
  turn_unsent: ['run'],
  turn_lost: ['run'],
  turn_asked: ['run'],
  turn_answered: ['run'],
  run_written: ['run', 'delivery'],
  delivery_wanted_again: ['delivery'],
  run_failed: ['run'],
  run_set_back: ['run'],
  delivery_set_back: ['delivery'],
}
