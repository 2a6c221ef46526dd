import type { Sqlite } from '../base/sqlite.ts'
import type { Fact, PersonFact } from '../domain/fact.ts'
import type { FileStat, KnownFile } from '../domain/file.ts'
import { AbsenceRows } from './absence-rows.ts'
import { AlertRows } from './alert-rows.ts'
import { Claims } from './claims.ts'
import { Counts } from './counts.ts'
import { DifferenceFinder, no_differences } from './differences.ts'
import { type FactKind, type FactsOf, fact_table } from './fact-table.ts'
import { FileRows } from './file-rows.ts'
import { type FolderRow, folderState } from './folder-row.ts'
import { FolderRows } from './folder-rows.ts'
import { KnownStretches } from './known-stretches.ts'
import type { Differences, FolderState, LedgerLimits, Pending, Stretch } from './ledger.ts'
import { emptyLogOf, openLedgerFile } from './ledger-file.ts'
import { PauseRow } from './pause-row.ts'
import { PendingWork } from './pending-work.ts'
import { PromptQueries } from './prompt-queries.ts'
import type { ArrivalPage, ArrivalQuery, UnreadyPage, UnreadyQuery } from './prompt-work.ts'
import { AuditRecorder } from './record-audit.ts'
import { ContentRecorder } from './record-content.ts'
import { FileRecorder } from './record-file.ts'
import { FoundRecorder } from './record-found.ts'
import { LabelRecorder } from './record-label.ts'
import { PersonRecorder } from './record-person.ts'
import { RunRecorder } from './record-run.ts'
import { RemovalClaims } from './removal-claims.ts'
import { RemovalRows } from './removal-rows.ts'
import { RunClaims } from './run-claims.ts'
import { Tickets } from './tickets.ts'
import { tidyLedger } from './tidy.ts'
import { Transaction } from './transaction.ts'
import { TroubleRows } from './trouble-rows.ts'
import { Usage } from './usage.ts'
import { WallClock } from './wall-clock.ts'

/** The SQLite ledger, synchronous, inside its thread. One call is one savepoint of the thread's current transaction. */
export class LedgerStore {
  readonly database: Sqlite
  readonly transaction: Transaction
  readonly tickets: Tickets
  readonly claims: Claims
  readonly runs: RunRecorder
  readonly run_claims: RunClaims
  readonly removal_claims: RemovalClaims
  readonly audits: AuditRecorder
  readonly wall_clock: WallClock
  readonly #limits: LedgerLimits
  readonly #counts: Counts
  readonly #usage: Usage
  readonly #absences: AbsenceRows
  readonly #pause: PauseRow
  readonly #folders: FolderRows
  readonly #stretches: KnownStretches
  readonly #files: FileRows
  readonly #contents: ContentRecorder
  readonly #file_recorder: FileRecorder
  readonly #found: FoundRecorder
  readonly #labels: LabelRecorder
  readonly #removals: RemovalRows
  readonly #people: PersonRecorder
  readonly #troubles: TroubleRows
  readonly #alerts: AlertRows
  readonly #differences: DifferenceFinder
  readonly #prompt_queries: PromptQueries
  readonly #pending: PendingWork

  constructor(files: { ledger: string; tickets: string }, limits: LedgerLimits) {
    const database = openLedgerFile(files.ledger)
    this.database = database
    this.transaction = new Transaction(database)
    this.tickets = new Tickets(files.tickets)
    // A copy of its own, which all parts share: they see when it changes.
    this.#limits = { ...limits }
    this.#counts = new Counts(database)
    this.#usage = new Usage(database)
    this.#absences = new AbsenceRows(database)
    this.#pause = new PauseRow(database, this.#absences)
    this.#folders = new FolderRows(database)
    this.wall_clock = new WallClock(database, () => this.#folders.reload())
    this.#stretches = new KnownStretches(database)
    this.#files = new FileRows(database, this.#stretches)
    this.#removals = new RemovalRows(database, { folders: this.#folders, usage: this.#usage })
    const parts = {
      counts: this.#counts,
      tickets: this.tickets,
      usage: this.#usage,
      folders: this.#folders,
      limits: this.#limits,
      pause: this.#pause,
      removals: this.#removals,
    }
    this.#contents = new ContentRecorder(database, parts)
    this.#file_recorder = new FileRecorder({ ...parts, files: this.#files, contents: this.#contents })
    this.#found = new FoundRecorder({ ...parts, files: this.#files, recorder: this.#file_recorder })
    this.audits = new AuditRecorder(database, { contents: this.#contents, files: this.#file_recorder })
    this.#labels = new LabelRecorder(database, this.#folders)
    this.#people = new PersonRecorder(database, {
      files: this.#file_recorder,
      contents: this.#contents,
      removals: this.#removals,
    })
    this.#troubles = new TroubleRows(database)
    this.#alerts = new AlertRows(database)
    this.#differences = new DifferenceFinder(database, this.#stretches)
    this.claims = new Claims(database, { ...parts, contents: this.#contents, labels: this.#labels })
    this.removal_claims = new RemovalClaims(database, { ...parts, contents: this.#contents })
    this.runs = new RunRecorder(database)
    this.run_claims = new RunClaims(database, this.runs, this.#pause)
    this.#prompt_queries = new PromptQueries(database, this.#folders)
    this.#pending = new PendingWork(database)
  }

  record(facts: Iterable<Fact>, at_ms: number): void {
    for (const fact of facts) this.#apply(fact, at_ms)
    this.#counts.flush()
    this.#usage.flush()
    this.#stretches.flush()
  }

  /** After a rollback: what is kept in memory follows the tables again. */
  recover(): void {
    this.#counts.forget()
    this.#usage.forget()
    this.wall_clock.reload()
    this.#folders.reload()
    this.#stretches.reload()
    this.#pause.reload()
  }

  folders(): FolderState[] {
    return this.#folders
      .all()
      .filter((folder) => folder.configured)
      .map((folder) => this.#stateOf(folder))
  }

  folder(name: string): FolderState | undefined {
    const folder = this.#folders.named(name)
    return folder?.configured ? this.#stateOf(folder) : undefined
  }

  filesAt(folder: string, paths: readonly string[]): (KnownFile | undefined)[] {
    return this.#files.knownAt(this.#folders.named(folder)?.id, paths)
  }

  differences(stretch: Stretch): Differences {
    const folder = this.#folders.named(stretch.folder)
    if (!folder) return no_differences
    return this.#differences.find(folder, stretch)
  }

  wasBeforeStart(folder: string, stat: FileStat): boolean {
    const row = this.#folders.named(folder)
    return row !== undefined && this.#files.wasBeforeStart(row.id, stat)
  }

  arrivals(query: ArrivalQuery): ArrivalPage {
    return this.#prompt_queries.arrivals(query, this.runs.prompts.named(query.prompt))
  }

  unready(query: UnreadyQuery): UnreadyPage {
    return this.#prompt_queries.unready(query, this.runs.prompts.named(query.prompt))
  }

  pending(until_ms: number, now_ms: number): Pending {
    const is_paused = this.#pause.holds(now_ms)
    const is_held = is_paused || this.claims.held_for_budget.holds(now_ms)
    const pending = this.#pending.until(until_ms, now_ms, is_held)
    return is_paused ? { ...pending, label: 0, remove: 0 } : pending
  }

  dueElsewhere(except: readonly string[], until_ms: number): boolean {
    return this.#pending.elsewhere(except, until_ms)
  }

  setLimits(limits: LedgerLimits): void {
    Object.assign(this.#limits, limits)
    this.claims.held_for_budget.forget()
  }

  tidy(at_ms: number): void {
    const { runs, tickets } = this
    const parts = { usage: this.#usage, files: this.#file_recorder, counts: this.#counts, alerts: this.#alerts }
    const { rows: contents } = this.#contents
    tidyLedger(this.database, { ...parts, runs, tickets, contents }, this.#limits, at_ms)
  }

  close(): void {
    emptyLogOf(this.database)
    this.tickets.close()
    this.database.close()
  }

  #apply(fact: Fact, at_ms: number): void {
    const apply = this.#recorders[fact_table[fact.type].of] as (fact: Fact, at_ms: number) => void
    apply(fact, at_ms)
  }

  readonly #recorders: { readonly [Kind in FactKind]: (fact: FactsOf[Kind], at_ms: number) => void } = {
    folder: (fact, at_ms) => {
      this.#folders.apply(fact, at_ms, this.#people.folderConsequences(at_ms))
      if (fact.type === 'folder_online' || fact.type === 'folder_configured') this.claims.folderBack(at_ms)
      if (fact.type === 'folder_online' || fact.type === 'scan_finished') this.#removals.lookSoon(at_ms)
    },
    file: (fact, at_ms) => this.#file_recorder.apply(fact, at_ms),
    found: (fact, at_ms) => this.#found.apply(fact, at_ms),
    content: (fact, at_ms) => {
      if (this.#contents.apply(fact, at_ms)) this.audits.follow(fact.type, fact.content, at_ms)
    },
    label: (fact) => this.#labels.apply(fact),
    person: (fact, at_ms) => this.#applyWord(fact, at_ms),
    pause: (fact, at_ms) => {
      this.#pause.apply(fact, at_ms)
      this.claims.held_for_budget.forget()
    },
    life: (fact, at_ms) => this.#absences.atWork(fact, at_ms),
    trouble: (fact, at_ms) => this.#troubles.apply(fact, at_ms),
    run: (fact, at_ms) => this.runs.apply(fact, at_ms),
    alert: (fact, at_ms) => this.#alerts.apply(fact, at_ms),
    audit: (fact, at_ms) => this.audits.apply(fact, at_ms),
  }

  #applyWord(fact: PersonFact, at_ms: number): void {
    const folder = this.#folders.named(fact.folder)
    if (!folder) return
    if (fact.type === 'removals_accepted') {
      this.#removals.accept(folder, fact.path, at_ms)
      return
    }
    if (fact.type === 'accepted' && fact.path === '') {
      if (this.#folders.acceptDisappearance(folder)) return
      this.audits.accept(folder.project)
    }
    this.#people.apply(fact, folder, at_ms)
  }

  #stateOf(folder: FolderRow): FolderState {
    return folderState(folder, this.#folders.judged_ms(folder.name), this.#counts.knownIn(folder.id))
  }
}
