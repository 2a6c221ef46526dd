import type { Sqlite } from '../base/files/sqlite.ts'
import type { Fact, PersonFact } from '../domain/fact.ts'
import type { FileStat, KnownFile } from '../domain/file.ts'
import { type Claims, createClaims } from './claims/claims.ts'
import { createPendingWork, type PendingWork } from './claims/pending-work.ts'
import { createPromptQueries, type PromptQueries } from './claims/prompt-queries.ts'
import { createRemovalClaims, type RemovalClaims } from './claims/removal-claims.ts'
import { createRunClaims, type RunClaims } from './claims/run-claims.ts'
import { createDifferenceFinder, type DifferenceFinder, no_differences } from './compare/differences.ts'
import { type FactKind, type FactsOf, fact_table } from './fact-table.ts'
import { emptyLogOf, openLedgerFile } from './file/ledger-file.ts'
import { createTickets, type Tickets } from './file/tickets.ts'
import { createTransaction, type Transaction } from './file/transaction.ts'
import type { Differences, FolderState, LedgerLimits, Pending, Stretch } from './ledger.ts'
import { type AuditRecorder, createAuditRecorder } from './record/record-audit.ts'
import { type ContentRecorder, createContentRecorder } from './record/record-content.ts'
import { createFileRecorder, type FileRecorder } from './record/record-file.ts'
import { createFoundRecorder, type FoundRecorder } from './record/record-found.ts'
import { createLabelRecorder, type LabelRecorder } from './record/record-label.ts'
import { createPersonRecorder, type PersonRecorder } from './record/record-person.ts'
import { createRunRecorder, type RunRecorder } from './record/record-run.ts'
import { tidyLedger } from './record/tidy.ts'
import { type Counts, createCounts, createUsage, type Usage } from './rows/counts.ts'
import { createDeliveryRows, type DeliveryRows } from './rows/delivery-rows.ts'
import { createFileRows, type FileRows } from './rows/file-rows.ts'
import { type FolderRow, folderState } from './rows/folder-row.ts'
import { createFolderRows, type FolderRows } from './rows/folder-rows.ts'
import { createKnownStretches, type KnownStretches } from './rows/known-stretches.ts'
import { type AbsenceRows, createAbsenceRows, createPauseRow, type PauseRow } from './rows/pause-row.ts'
import { createRemovalRows, type RemovalRows } from './rows/removal-rows.ts'
import { createTroubleRows, type TroubleRows } from './rows/trouble-rows.ts'
import { createWallClock, type WallClock } from './rows/wall-clock.ts'

/** The synchronous SQLite ledger inside its thread. A call is a savepoint of the transaction. */
export function createLedgerStore(paths: { ledger: string; tickets: string }, first_limits: LedgerLimits) {
  const recorders: { readonly [Kind in FactKind]: (fact: FactsOf[Kind], at_ms: number) => void } = {
    folder: (fact, at_ms) => {
      folders_sql.apply(fact, at_ms, people.folderConsequences(at_ms))
      if (fact.type === 'folder_online' || fact.type === 'folder_configured') claims.folderBack(at_ms)
      if (fact.type === 'folder_online' || fact.type === 'scan_finished') removals.lookSoon(at_ms)
    },
    file: (fact, at_ms) => file_recorder.apply(fact, at_ms),
    found: (fact, at_ms) => found.apply(fact, at_ms),
    content: (fact, at_ms) => {
      if (contents.apply(fact, at_ms)) audits.follow(fact.type, fact.content, at_ms)
    },
    label: (fact) => labels.apply(fact),
    person: (fact, at_ms) => applyWord(fact, at_ms),
    pause: (fact, at_ms) => {
      pause.apply(fact, at_ms)
      claims.held_for_budget.forget()
    },
    life: (fact, at_ms) => absences.atWork(fact, at_ms),
    trouble: (fact, at_ms) => troubles.apply(fact, at_ms),
    run: (fact, at_ms) => runs.apply(fact, at_ms),
    delivery: (fact, at_ms) => deliveries.apply(fact, at_ms),
    audit: (fact, at_ms) => audits.apply(fact, at_ms),
  }
  const database: Sqlite = openLedgerFile(paths.ledger)
  const transaction: Transaction = createTransaction(database)
  const tickets: Tickets = createTickets(paths.tickets)
  // All parts share this copy, so they see when it changes.
  const limits: LedgerLimits = { ...first_limits }
  const counts: Counts = createCounts(database)
  const usage: Usage = createUsage(database)
  const absences: AbsenceRows = createAbsenceRows(database)
  const pause: PauseRow = createPauseRow(database, absences)
  const folders_sql: FolderRows = createFolderRows(database)
  const wall_clock: WallClock = createWallClock(database, () => folders_sql.reload())
  const stretches: KnownStretches = createKnownStretches(database)
  const files: FileRows = createFileRows(database, stretches)
  const removals: RemovalRows = createRemovalRows(database, { folders: folders_sql, usage })
  const parts = {
    counts,
    tickets,
    usage,
    folders: folders_sql,
    limits,
    pause,
    removals,
  }
  const contents: ContentRecorder = createContentRecorder(database, parts)
  const file_recorder: FileRecorder = createFileRecorder({ ...parts, files, contents })
  const found: FoundRecorder = createFoundRecorder({ ...parts, files, recorder: file_recorder })
  const audits: AuditRecorder = createAuditRecorder(database, { contents, files: file_recorder })
  const labels: LabelRecorder = createLabelRecorder(database, folders_sql)
  const people: PersonRecorder = createPersonRecorder(database, {
    files: file_recorder,
    contents,
    removals,
  })
  const troubles: TroubleRows = createTroubleRows(database)
  const differences_sql: DifferenceFinder = createDifferenceFinder(database, stretches)
  const claims: Claims = createClaims(database, { ...parts, contents, labels })
  const removal_claims: RemovalClaims = createRemovalClaims(database, { ...parts, contents })
  const deliveries: DeliveryRows = createDeliveryRows(database)
  const runs: RunRecorder = createRunRecorder(database, deliveries)
  const run_claims: RunClaims = createRunClaims(database, { recorder: runs, deliveries, pause })
  const prompt_queries: PromptQueries = createPromptQueries(database, {
    folders: folders_sql,
    prompts: runs.prompts,
  })
  const pending_sql: PendingWork = createPendingWork(database)

  function record(facts: Iterable<Fact>, at_ms: number): void {
    for (const fact of facts) apply(fact, at_ms)
    counts.flush()
    usage.flush()
    stretches.flush()
  }

  /** After a rollback, values in memory are read again from the tables. */
  function recover(): void {
    counts.forget()
    usage.forget()
    wall_clock.reload()
    folders_sql.reload()
    stretches.reload()
    pause.reload()
  }

  function folders(): FolderState[] {
    return folders_sql
      .all()
      .filter((folder) => folder.configured)
      .map((folder) => stateOf(folder))
  }

  function folder(name: string): FolderState | undefined {
    const folder = folders_sql.named(name)
    return folder?.configured ? stateOf(folder) : undefined
  }

  function filesAt(folder: string, paths: readonly string[]): (KnownFile | undefined)[] {
    return files.knownAt(folders_sql.named(folder)?.id, paths)
  }

  function differences(stretch: Stretch): Differences {
    const folder = folders_sql.named(stretch.folder)
    if (!folder) return no_differences
    return differences_sql.find(folder, stretch)
  }

  function wasBeforeStart(folder: string, stat: FileStat): boolean {
    const row = folders_sql.named(folder)
    return row !== undefined && files.wasBeforeStart(row.id, stat)
  }

  function pending(until_ms: number, now_ms: number): Pending {
    const is_paused = pause.holds(now_ms)
    const is_held = is_paused || claims.held_for_budget.holds(now_ms)
    const pending = pending_sql.until(until_ms, now_ms, is_held)
    return is_paused ? { ...pending, label: 0, remove: 0 } : pending
  }

  function setLimits(changed: LedgerLimits): void {
    Object.assign(limits, changed)
    claims.held_for_budget.forget()
  }

  function tidy(at_ms: number): void {
    const kept = { usage, counts, deliveries, runs, tickets }
    tidyLedger(database, { ...kept, files: file_recorder, contents: contents.rows }, limits, at_ms)
  }

  function close(): void {
    emptyLogOf(database)
    tickets.close()
    database.close()
  }

  function apply(fact: Fact, at_ms: number): void {
    const apply = recorders[fact_table[fact.type].of] as (fact: Fact, at_ms: number) => void
    apply(fact, at_ms)
  }

  function applyWord(fact: PersonFact, at_ms: number): void {
    const folder = folders_sql.named(fact.folder)
    if (!folder) return
    if (fact.type === 'removals_accepted') {
      removals.accept(folder, fact.path, at_ms)
      return
    }
    if (fact.type === 'accepted' && fact.path === '') {
      if (folders_sql.acceptDisappearance(folder)) return
      audits.accept(folder.project)
    }
    people.apply(fact, folder, at_ms)
  }

  function stateOf(folder: FolderRow): FolderState {
    return folderState(folder, folders_sql.checks(folder.name).judged_ms, counts.knownIn(folder.id))
  }

  return {
    wall_clock,
    audits,
    removal_claims,
    run_claims,
    runs,
    claims,
    tickets,
    transaction,
    database,
    record,
    recover,
    folders,
    folder,
    filesAt,
    differences,
    wasBeforeStart,
    ...prompt_queries,
    pending,
    dueElsewhere: pending_sql.elsewhere,
    setLimits,
    tidy,
    close,
  }
}

export type LedgerStore = ReturnType<typeof createLedgerStore>
