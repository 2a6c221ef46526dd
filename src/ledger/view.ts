import { accessSync, constants } from 'node:fs'
import { codeOf, isSluiceError, SluiceError } from '../base/errors.ts'
import { openSqliteReadOnly, type Sqlite } from '../base/sqlite.ts'
import type { ContentState } from '../domain/content.ts'
import { readBlobOrigin } from './host-rows.ts'
import { ledger_migrations } from './ledger-file.ts'
import { noRight } from './no-right.ts'
import { type Pause, readPause } from './pause-row.ts'
import { isRebuildOpen, ledgerFile } from './state-directory.ts'
import { readTroubles, type Trouble } from './trouble-rows.ts'
import { type AuditView, readAudits } from './view-audits.ts'
import { type ComparisonView, createComparisonView } from './view-comparison.ts'
import { createFilesView, type FileStory, type FilesQuery, type FileView, type KnownPath } from './view-files.ts'
import { type Amount, type FolderView, readFolders } from './view-folders.ts'
import {
  type Braked,
  countSlow,
  type ProblemGroup,
  type RetryGroup,
  readBraked,
  readProblems,
  readRetrying,
} from './view-problems.ts'
import { createRemovalCasesView, type RemovalCasesView } from './view-removal-cases.ts'
import {
  type OlderVersion,
  type PartingView,
  type RemovalsView,
  readOlderVersionsOf,
  readOwnership,
  readPartingOf,
  readRemovals,
} from './view-removals.ts'

/**
 * The ledger for people: reads only, beside a daemon at work or without one. Every answer is bounded, and what is counted comes
 * from sums that are kept, so that a million files cost no more than ten. Folders that left the config are not shown.
 */
export interface LedgerView {
  /** Several reads of one moment. */
  together<Answer>(read: () => Answer): Answer
  folders(): FolderView[]
  troubles(): Trouble[]
  problems(): ProblemGroup[]
  retrying(): RetryGroup[]
  /** Contents that the service has been reading for longer than `deadline` allows. */
  slow(now_ms: number): number
  braked(): Braked
  /** What was first wanted (the brake looks at it) or sent (the daily limit) in the hours that began in this span. */
  used(what: 'wanted' | 'sent', span_ms: number, now_ms: number): Amount
  files(query: FilesQuery): FileView[]
  known(folder: string, first: string, last: string): Map<string, KnownPath>
  /** Undefined for a path that was never seen, or is ignored. */
  story(folder: string, path: string): FileStory | undefined
  contentState(project_id: string, md5: string, size: number): ContentState | undefined
  /** What a person stopped, where that is in force. */
  pause(now_ms: number): Pause | undefined
  /** What is in the assistant and held by no file. */
  removals(): RemovalsView
  /** Of the assets that are ready: those that this ledger made, and those that were there already. */
  ownership(): { ours: number; others: number }
  /** Of a content that no file holds; see readPartingOf. */
  partingOf(content: number): PartingView | undefined
  olderVersionsOf(folder: string, path: string): OlderVersion[]
  /** What may be removed there, one by one. */
  removalCases(): RemovalCasesView
  /** Of each project that configured folders belong to. */
  audits(): AuditView[]
  /** Where uploads last went, such as `https://blobs.example.com`; undefined where nothing was sent yet. */
  blobOrigin(): string | undefined
  /** For holding it against disk and service. */
  comparison(): ComparisonView
  close(): void
}

/**
 * Errors: `ledger.none` where nothing was ever kept, `account.no_right` where this user may not read it, `database.*`.
 */
export function openLedgerView(state_dir: string): LedgerView {
  const file = ledgerFile(state_dir)
  refuseUnusable(file, state_dir)
  const database = openForReading(file, state_dir)
  const files = createFilesView(database)
  const used = database.prepare(
    'SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes FROM usage WHERE what = ? AND hour_ms > ?',
  )
  const content_state = database
    .prepare(
      `SELECT state FROM contents WHERE md5 = ? AND size = ? AND project = (SELECT id FROM projects WHERE project_id = ?)`,
    )
    .pluck()
  return {
    together: (read) => database.transaction(read)(),
    folders: () => readFolders(database),
    troubles: () => readTroubles(database),
    problems: () => readProblems(database),
    retrying: () => readRetrying(database),
    slow: (now_ms) => countSlow(database, now_ms),
    braked: () => readBraked(database),
    used: (what, span_ms, now_ms) => used.get(what, now_ms - span_ms) as Amount,
    files: (query) => files.files(query),
    known: (folder, first, last) => files.known(folder, first, last),
    story: (folder, path) => files.story(folder, path),
    contentState: (project_id, md5, size) =>
      content_state.get(Buffer.from(md5, 'hex'), size, project_id) as ContentState | undefined,
    pause: (now_ms) => readPause(database, now_ms),
    blobOrigin: () => readBlobOrigin(database),
    removals: () => readRemovals(database),
    ownership: () => readOwnership(database),
    partingOf: (content) => readPartingOf(database, content),
    olderVersionsOf: (folder, path) => readOlderVersionsOf(database, folder, path),
    removalCases: () => createRemovalCasesView(database),
    audits: () => readAudits(database),
    comparison: () => createComparisonView(database),
    close: () => database.close(),
  }
}

/** SQLite says "cannot open" to all of these alike. */
function refuseUnusable(file: string, state_dir: string): void {
  try {
    accessSync(file, constants.R_OK)
  } catch (error) {
    const code = codeOf(error)
    if (code === 'ENOENT' || code === 'ENOTDIR') throw noLedger(state_dir)
    if (code === 'EACCES' || code === 'EPERM') throw noRight(state_dir, error)
    throw error
  }
}

function openForReading(file: string, state_dir: string): Sqlite {
  try {
    const database = openSqliteReadOnly(file, ledger_migrations)
    // A daemon that is just being started for the first time has made the file and not yet its tables.
    if (database.pragma('user_version', { simple: true }) !== 0) return database
    database.close()
  } catch (error) {
    // Readers of a WAL share memory with the writer, in a file beside it that they must be able to open.
    throw isSluiceError(error, 'database.unreadable') ? noRight(state_dir, error) : error
  }
  throw noLedger(state_dir)
}

function noLedger(state_dir: string): SluiceError {
  const code = 'ledger.none'
  // To start instead would make an empty ledger, and throw away what the rebuild has found.
  if (isRebuildOpen(state_dir)) {
    const message = `there is no ledger in ${state_dir} until a rebuild is at its end, which it is not`
    return new SluiceError({
      code,
      message,
      hint: 'wait where one is at work; else run `sluice rebuild` again, it goes on',
    })
  }
  return new SluiceError({
    code,
    message: `nothing was kept in ${state_dir} yet: Sluice has not run with this configuration`,
    hint: 'start it with `sluice run`, or `sluice sync` for one pass; `sluice plan` shows beforehand what would go up',
  })
}
