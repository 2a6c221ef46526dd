import { existsSync } from 'node:fs'
import { SluiceError } from '../base/run/errors.ts'
import { startThread, type Thread } from '../base/run/thread.ts'
import type { Clock } from '../base/time/time.ts'
import type { Fact } from '../domain/fact.ts'
import { conditionOfLedger } from './backup.ts'
import { AllInFlight } from './claims/in-flight.ts'
import { fact_table } from './fact-table.ts'
import {
  isRebuildOpen,
  ledgerFile,
  lockLedger,
  makeStateDirectory,
  rebuildDirectory,
  refuseNoRight,
  removeDatabase,
  ticketsFile,
} from './file/state-directory.ts'
import type {
  CheckChoice,
  Ledger,
  LedgerLimits,
  Pending,
  WorkKind,
  WorkListener,
} from './ledger.ts'
import { RefusedFacts, recordApart } from './refused-facts.ts'
import type { LedgerCalls, LedgerThreadData } from './thread.ts'

export interface LedgerOptions {
  /** Directory of ledger.db, tickets.db and lock.db. It is made if missing, and gets mode 0700. */
  state_dir: string
  limits: LedgerLimits
  clock: Clock
  /** Errors of other processes call this one so; absent: a command that only records. */
  command?: string
  /** Called with FOLDER/PATH for each file whose bytes the project has already. */
  on_linked?: (name: string) => void
}

/**
 * Opens the ledger for writing, for one process at a time. Errors: `ledger.locked` if another
 * process has it, `account.no_right`, `database.*`, `config.rebuild_open`, `config.state_dir`.
 */
export async function openLedger({
  state_dir,
  limits,
  command = 'a short command',
  ...rest
}: LedgerOptions): Promise<Ledger> {
  refuseNoRight(state_dir, [ledgerFile(state_dir), ticketsFile(state_dir)], 'write')
  makeStateDirectory(state_dir)
  const lock = lockLedger(state_dir, command)
  try {
    refuseOpenRebuild(state_dir)
  } catch (error) {
    lock.release()
    throw error
  }
  // Tickets of a lost ledger are deleted: a new one gives their numbers to other contents.
  if (!existsSync(ledgerFile(state_dir))) removeDatabase(ticketsFile(state_dir))
  const data: LedgerThreadData = {
    ledger_file: ledgerFile(state_dir),
    tickets_file: ticketsFile(state_dir),
    limits,
  }
  // Rows live only during one call. Without this limit, a full rescan takes 12 MB more.
  const thread = startThread('ledger/thread', data, { young_mb: 4 })
  try {
    await thread.call('open', undefined)
  } catch (error) {
    await thread.terminate()
    lock.release()
    throw error
  }
  return ledgerOn(thread, rest, async () => {
    try {
      await thread.call('close', undefined)
    } finally {
      await thread.terminate()
      lock.release()
    }
  })
}

type LedgerTools = Pick<LedgerOptions, 'clock' | 'on_linked'>
const any_file: CheckChoice = { except_folders: [], sizes: ['small', 'large'] }

function ledgerOn(
  thread: Thread,
  { clock, on_linked }: LedgerTools,
  close: () => Promise<void>,
): Ledger {
  const listeners = new Set<WorkListener>()
  const call = <Name extends keyof LedgerCalls>(
    method: Name,
    argument: Parameters<LedgerCalls[Name]>[1],
  ): Promise<ReturnType<LedgerCalls[Name]>> =>
    thread.call(method, { argument, now_ms: clock.now_ms() })
  const refused = new RefusedFacts()
  const rests = (thing: string) => refused.rests(thing, clock.now_ms())
  const in_flight = new AllInFlight(rests)
  const notify = (kinds: ReadonlySet<WorkKind>, why: 'recorded' | 'released') => {
    for (const listener of listeners) listener(kinds, why)
  }
  async function store(facts: readonly Fact[]): Promise<void> {
    for (const name of await call('record', facts)) on_linked?.(name)
    refused.stored(facts)
    notify(workMadeBy(facts), 'recorded')
  }
  return {
    async record(asked) {
      const { facts, error } = refused.sort(asked, clock.now_ms())
      const faults = await store(facts).catch((fault) => recordApart(facts, fault, store))
      if (faults?.size) {
        const late = refused.sort([], clock.now_ms(), faults)
        await store(late.facts)
        throw error ?? late.error
      }
      if (error) throw error
    },
    folders: () => call('folders', undefined),
    folder: (name) => call('folder', name),
    filesAt: (folder, paths) => call('filesAt', { folder, paths }),
    differences: (range) => call('differences', range),
    wasBeforeStart: (folder, stat) => call('wasBeforeStart', { folder, stat }),
    claimToCheck: (limit, choice = any_file) =>
      in_flight.check.take((checks) => {
        // The ledger does not need the checks of folders that the claim leaves out.
        const in_flight = checks.filter(({ folder }) => !choice.except_folders.includes(folder))
        return call('claimToCheck', { limit, in_flight, ...choice })
      }),
    claimToSend: (limit, options) =>
      in_flight.send.take((in_flight) => call('claimToSend', { limit, in_flight, ...options })),
    claimToFollow: (limit, options) =>
      in_flight.follow.take((in_flight) => call('claimToFollow', { limit, in_flight, ...options })),
    claimToLabel: (limit, options) =>
      in_flight.label.take((in_flight) => call('claimToLabel', { limit, in_flight, ...options })),
    claimToName: (limit, options) =>
      in_flight.name.take((in_flight) => call('claimToName', { limit, in_flight, ...options })),
    claimToRemove: (limit, options) =>
      in_flight.remove.take((in_flight) => call('claimToRemove', { limit, in_flight, ...options })),
    prompts: () => call('prompts', undefined),
    claimRuns: (limit, options) =>
      in_flight.run.take((in_flight) => call('claimRuns', { limit, in_flight, ...options })),
    claimDeliveries: (limit, options = { only_alerts: false }) =>
      in_flight.delivery.take((in_flight) =>
        call('claimDeliveries', { limit, in_flight, ...options }),
      ),
    audits: async () =>
      (await call('audits', undefined)).filter(({ project_id }) => !rests(project_id)),
    rests,
    unaudited: (query) => call('unaudited', query),
    arrivals: (query) => call('arrivals', query),
    unready: (query) => call('unready', query),
    changes: (query) => call('changes', query),
    release(...release) {
      in_flight.release(...release)
      if (release[1].length > 0) notify(new Set([release[0]]), 'released')
    },
    async pending(horizon_ms) {
      const pending: Pending = await call('pending', clock.now_ms() + horizon_ms)
      for (const kind of ['check', 'send', 'follow', 'label', 'name', 'remove'] as const)
        pending[kind] = Math.max(0, pending[kind] - in_flight[kind].resting())
      return pending
    },
    dueElsewhere: (except, horizon_ms) =>
      call('dueElsewhere', { except, until_ms: clock.now_ms() + horizon_ms }),
    alikeRefusals: (content, refusal) => call('alikeRefusals', { content, refusal }),
    setLimits: (limits) => call('setLimits', limits),
    tidy: () => call('tidy', undefined),
    onWork(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    close,
  }
}

function workMadeBy(facts: readonly Fact[]): Set<WorkKind> {
  const kinds = new Set<WorkKind>()
  for (const fact of facts) {
    for (const kind of fact_table[fact.type].wakes ?? []) kinds.add(kind)
  }
  return kinds
}

/**
 * Refuses to begin a new ledger while a rebuild is unfinished: what that has found would be lost.
 * Like an invalid configuration, the error `config.rebuild_open` lasts until a user acts, so
 * service managers must not restart Sluice again and again. The caller holds the lock.
 */
function refuseOpenRebuild(state_dir: string): void {
  if (!isRebuildOpen(state_dir) || conditionOfLedger(state_dir) !== 'none') return
  throw new SluiceError({
    code: 'config.rebuild_open',
    message: `a rebuild of the ledger in ${state_dir} is not finished, and there is no other ledger`,
    hint: `\`sluice rebuild\` goes on with it; to begin with an empty ledger instead, remove ${rebuildDirectory(state_dir)}`,
  })
}
