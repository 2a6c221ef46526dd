import { readOne, type Sqlite } from '../base/files/sqlite.ts'
import { day_ms } from '../base/time/time.ts'
import type { Fact, FolderEvent, UserFact } from '../domain/fact.ts'
import type { FileStat } from '../domain/file.ts'
import { createPendingWork } from './claims/claim-queries.ts'
import { createClaims } from './claims/claims.ts'
import { createNameClaims } from './claims/name-claims.ts'
import { createPromptQueries } from './claims/prompt-queries.ts'
import { createRemovalClaims } from './claims/removal-claims.ts'
import { createRunClaims } from './claims/run-claims.ts'
import { type FactKind, type FactsOf, fact_table } from './fact-table.ts'
import {
  createPageCache,
  createTransaction,
  emptyLogOf,
  openLedgerFile,
} from './file/ledger-file.ts'
import { createTickets } from './file/tickets.ts'
import type { Differences, FolderState, LedgerLimits, PathRange, Pending } from './ledger.ts'
import { createAuditRecorder } from './record/record-audit.ts'
import { ChangeLog } from './record/record-change.ts'
import { createContentRecorder } from './record/record-content.ts'
import { createFileRecorder } from './record/record-file.ts'
import { createFoundRecorder } from './record/record-found.ts'
import { createLabelRecorder } from './record/record-label.ts'
import { createRunRecorder } from './record/record-run.ts'
import { createUserRecorder } from './record/record-user.ts'
import { createCounts, createUsage } from './rows/counts.ts'
import { createDeliveryRows } from './rows/delivery-rows.ts'
import { createDifferenceFinder, createKnownRanges, no_differences } from './rows/differences.ts'
import { EvidenceCounts } from './rows/evidence.ts'
import { createFileRows } from './rows/file-rows.ts'
import { type FolderRow, folderState } from './rows/folder-row.ts'
import { createFolderRows } from './rows/folder-rows.ts'
import { createNameRows } from './rows/name-rows.ts'
import { createRemovalRows } from './rows/removal-rows.ts'
import { createAbsenceRows, createPauseRow, createTroubleRows } from './rows/trouble-rows.ts'
import { createWaits } from './rows/waits.ts'
import { createWallClock } from './rows/wall-clock.ts'

/** The synchronous ledger in SQLite. thread.ts puts a savepoint around each call that writes. */
export function createLedgerStore(
  paths: { ledger: string; tickets: string },
  first_limits: LedgerLimits,
) {
  const recorders: { readonly [Kind in FactKind]: (fact: FactsOf[Kind], at_ms: number) => void } = {
    folder: (fact, at_ms) => {
      for (const change of folders_sql.apply(fact, at_ms)) requests.followFolder(change, at_ms)
      endWaits(fact, at_ms)
      if (fact.type === 'scan_finished') evidence.scanned(folders_sql.named(fact.folder)?.id)
      if (fact.type === 'folder_online' || fact.type === 'scan_finished') removals.checkSoon(at_ms)
    },
    file: (fact, at_ms) => file_recorder.apply(fact, at_ms),
    found: (fact, at_ms) => found.apply(fact, at_ms),
    content: (fact, at_ms) => {
      if (contents.apply(fact, at_ms)) audits.follow(fact.type, fact.content, at_ms)
    },
    label: (fact) => labels.apply(fact),
    name: (fact, at_ms) => names.apply(fact, at_ms),
    user: (fact, at_ms) => applyRequest(fact, at_ms),
    pause: (fact, at_ms) => {
      pause.apply(fact, at_ms)
      claims.allowanceChanged()
    },
    life: (fact, at_ms) => absences.atWork(fact, at_ms),
    trouble: (fact, at_ms) => troubles.apply(fact, at_ms),
    run: (fact, at_ms) => {
      runs.apply(fact, at_ms)
      if (fact.type === 'prompts_configured') changes.reload()
    },
    delivery: (fact, at_ms) => deliveries.apply(fact, at_ms),
    audit: (fact, at_ms) => audits.apply(fact, at_ms),
  }
  const database = openLedgerFile(paths.ledger)
  const page_cache = createPageCache(database)
  const transaction = createTransaction(database)
  const tickets = createTickets(paths.tickets)
  // All parts share this copy, so they see when it changes.
  const limits: LedgerLimits = { ...first_limits }
  const counts = createCounts(database)
  const usage = createUsage(database)
  const evidence = new EvidenceCounts(database)
  const absences = createAbsenceRows(database)
  const pause = createPauseRow(database, absences)
  const folders_sql = createFolderRows(database)
  const wall_clock = createWallClock(database, () => folders_sql.reload())
  const ranges = createKnownRanges(database)
  const files = createFileRows(database, ranges.touch)
  const removals = createRemovalRows(database, { folders: folders_sql, usage })
  const waits = createWaits(database, limits)
  const names = createNameRows(database, folders_sql)
  const changes = new ChangeLog(database)
  const parts = {
    counts,
    tickets,
    usage,
    evidence,
    folders: folders_sql,
    limits,
    pause,
    removals,
    waits,
    names,
    changes,
  }
  const contents = createContentRecorder(database, parts)
  const file_recorder = createFileRecorder({ ...parts, files, contents })
  const found = createFoundRecorder({ ...parts, files, recorder: file_recorder })
  const audits = createAuditRecorder(database, { contents, files: file_recorder, names })
  const labels = createLabelRecorder(database, folders_sql)
  const requests = createUserRecorder(database, { files: file_recorder, contents, removals })
  const troubles = createTroubleRows(database)
  const differences_sql = createDifferenceFinder(database, ranges)
  const claims = createClaims(database, { ...parts, contents, labels })
  const name_claims = createNameClaims(database, { ...parts, isHeld: claims.isHeld })
  const removal_claims = createRemovalClaims(database, { ...parts, contents })
  const deliveries = createDeliveryRows(database)
  const runs = createRunRecorder(database, { deliveries, names })
  const run_claims = createRunClaims(database, { recorder: runs, deliveries, pause })
  const prompt_queries = createPromptQueries(database, {
    folders: folders_sql,
    prompts: runs.prompts,
  })
  const pending_sql = createPendingWork(database)

  /** Returns the files that got known bytes. */
  function record(facts: readonly Fact[], at_ms: number): string[] {
    for (const fact of facts) {
      page_cache.fit(fact)
      apply(fact, at_ms)
    }
    counts.flush()
    usage.flush()
    ranges.flush()
    return file_recorder.takeLinked()
  }

  /** After a rollback, values in memory are read again from the tables. */
  function recover(): void {
    counts.forget()
    usage.forget()
    evidence.forget()
    wall_clock.reload()
    folders_sql.reload()
    ranges.reload()
    pause.reload()
    changes.reload()
    file_recorder.takeLinked()
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

  function differences(range: PathRange, now_ms: number): Differences {
    const folder = folders_sql.named(range.folder)
    if (!folder) return no_differences
    return differences_sql.find(folder, range, now_ms)
  }

  function wasBeforeStart(folder: string, stat: FileStat): boolean {
    const row = folders_sql.named(folder)
    return row !== undefined && files.wasBeforeStart(row.id, stat)
  }

  function pending(until_ms: number, now_ms: number): Pending {
    const is_paused = pause.holds(now_ms)
    const is_held = is_paused || claims.isHeld(now_ms)
    const pending = pending_sql.until(until_ms, now_ms, is_held)
    return is_paused ? { ...pending, label: 0, name: 0, remove: 0 } : pending
  }

  function setLimits(changed: LedgerLimits): void {
    Object.assign(limits, changed)
    claims.limitsChanged()
    claims.allowanceChanged()
  }

  function endWaits(fact: FolderEvent, at_ms: number): void {
    if (fact.type === 'folder_configured') {
      folderBack(fact.folder.name, at_ms)
      troubles.configured()
    }
    if (fact.type === 'folder_online') folderBack(fact.folder, at_ms)
    if (fact.type === 'checks_wanted')
      waits.end('scan_asked', at_ms, { folder: folders_sql.named(fact.folder)?.id })
  }

  function folderBack(name: string, at_ms: number): void {
    waits.end('folder_back', at_ms, { folder: folders_sql.named(name)?.id })
  }

  /** Deletes what is no longer needed, a limited number of rows at a time. */
  function tidy(at_ms: number): void {
    usage.trim(at_ms)
    trimHistory(database, limits, at_ms)
    const gone = database.prepare(
      `SELECT folder, path FROM files WHERE state = 'gone' AND gone_ms < ? LIMIT ?`,
    )
    const old = gone.all(at_ms - tombstone_days * day_ms, tidy_rows) as {
      folder: number
      path: string
    }[]
    for (const { folder, path } of old) file_recorder.dropTombstone(folder, path)
    counts.flush()
    runs.trim(at_ms)
    changes.trim()
    deliveries.trimAlerts()
    // A power cut can undo an erasure, because tickets.db is not synced at each commit. A crash
    // between its commit and that of the ledger can leave a ticket of a slot that is not recorded.
    for (const content of tickets.contents()) {
      const state = contents.rows.get(content)?.state
      if (state !== 'reserving' && state !== 'reserved' && state !== 'sent') tickets.erase(content)
    }
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

  function applyRequest(fact: UserFact, at_ms: number): void {
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
    requests.apply(fact, folder, at_ms)
  }

  function stateOf(folder: FolderRow): FolderState {
    const { judged_ms } = folders_sql.checks(folder.name)
    const { now, most, skipped } = evidence.of(folder.id)
    return folderState(folder, judged_ms, {
      known_files: counts.knownIn(folder.id),
      evidence: now,
      most_evidence: most,
      skipped,
    })
  }

  return {
    wall_clock,
    audits,
    name_claims,
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
    filesAt: (folder: string, paths: readonly string[]) =>
      files.knownAt(folders_sql.named(folder)?.id, paths),
    differences,
    wasBeforeStart,
    ...prompt_queries,
    pending,
    dueElsewhere: pending_sql.elsewhere,
    alikeRefusals: contents.types.alikeRefusals,
    setLimits,
    tidy,
    close,
  }
}

export type LedgerStore = ReturnType<typeof createLedgerStore>

/** Maximum number of rows that one statement of `tidy` deletes: a few milliseconds. */
const tidy_rows = 5_000
/** Days that the row of a gone file is kept: what it held, since when, and if it was accepted. */
const tombstone_days = 90

function trimHistory(
  database: Sqlite,
  { history_days, max_history_rows }: LedgerLimits,
  at_ms: number,
): void {
  const newest = readOne<number>(database.prepare('SELECT max(id) FROM history').pluck()) ?? 0
  database
    .prepare(
      // It reads only the oldest rows: reading all takes as long as a scan of the folder.
      `DELETE FROM history WHERE id IN (
         SELECT id FROM (SELECT id, at_ms FROM history ORDER BY id LIMIT ?) WHERE id <= ? OR at_ms < ?)`,
    )
    .run(tidy_rows, newest - max_history_rows, at_ms - history_days * day_ms)
}
