import { accessSync, constants } from 'node:fs'
import { openSqliteReadOnly, type Sqlite } from '../../base/files/sqlite.ts'
import { codeOf, isSluiceError, SluiceError } from '../../base/run/errors.ts'
import type { ContentState } from '../../domain/content.ts'
import { ledger_migrations, noRight } from '../file/ledger-file.ts'
import { isRebuildOpen, ledgerFile } from '../file/state-directory.ts'
import { usedSince } from '../rows/counts.ts'
import { readPause } from '../rows/pause-row.ts'
import { readBlobOrigin, readTroubles } from '../rows/trouble-rows.ts'
import { readAudits } from './view-audits.ts'
import { createComparisonView } from './view-comparison.ts'
import { createFilesView } from './view-files.ts'
import { readFolders } from './view-folders.ts'
import { countSlow, readBraked, readProblems, readRetrying } from './view-problems.ts'
import {
  createRemovalCasesView,
  readOlderVersionsOf,
  readOwnership,
  readPartingOf,
  readRemovals,
} from './view-removal-cases.ts'

/**
 * The ledger for people: reads only, beside a daemon at work or without one. Every answer is bounded, and what is counted comes
 * from sums that are kept, so that a million files cost no more than ten. Folders that left the config are not shown.
 */
export type LedgerView = ReturnType<typeof openLedgerView>

/**
 * Errors: `ledger.none` where nothing was ever kept, `account.no_right` where this user may not read it, `database.*`.
 */
export function openLedgerView(state_dir: string) {
  const file = ledgerFile(state_dir)
  refuseUnusable(file, state_dir)
  const database = openForReading(file, state_dir)
  const used = usedSince(database)
  const content_state = database
    .prepare(
      `SELECT state FROM contents WHERE md5 = ? AND size = ? AND project = (SELECT id FROM projects WHERE project_id = ?)`,
    )
    .pluck()
  return {
    /** Several reads of one moment. */
    together: <Answer>(read: () => Answer) => database.transaction(read)(),
    folders: () => readFolders(database),
    troubles: () => readTroubles(database),
    problems: () => readProblems(database),
    retrying: () => readRetrying(database),
    /** Contents that the service has been reading for longer than `deadline` allows. */
    slow: (now_ms: number) => countSlow(database, now_ms),
    braked: () => readBraked(database),
    /** What was first wanted (the brake looks at it) or sent (the daily limit) in the hours that began in this span. */
    used: (what: 'wanted' | 'sent', span_ms: number, now_ms: number) => used(what, now_ms - span_ms),
    ...createFilesView(database),
    contentState: (project_id: string, md5: string, size: number) =>
      content_state.get(Buffer.from(md5, 'hex'), size, project_id) as ContentState | undefined,
    /** What a person stopped, where that is in force. */
    pause: (now_ms: number) => readPause(database, now_ms),
    /** Where uploads last went, such as `https://blobs.example.com`; undefined where nothing was sent yet. */
    blobOrigin: () => readBlobOrigin(database),
    /** What is in the assistant and held by no file. */
    removals: () => readRemovals(database),
    /** Of the assets that are ready: those that this ledger made, and those that were there already. */
    ownership: () => readOwnership(database),
    /** Of a content that no file holds; see readPartingOf. */
    partingOf: (content: number) => readPartingOf(database, content),
    olderVersionsOf: (folder: string, path: string) => readOlderVersionsOf(database, folder, path),
    /** What may be removed there, one by one. */
    removalCases: () => createRemovalCasesView(database),
    /** Of each project that configured folders belong to. */
    audits: () => readAudits(database),
    /** For holding it against disk and service. */
    comparison: () => createComparisonView(database),
    close: () => void database.close(),
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
