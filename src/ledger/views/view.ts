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
 * The ledger as users see it. Reads only, with or without a running daemon. Every answer is
 * limited, and counts come from stored sums, so a million files cost no more than ten. Folders that
 * left the configuration are not shown.
 */
export type LedgerView = ReturnType<typeof openLedgerView>

/** Errors: `ledger.none` before anything was recorded, `account.no_right`, `database.*`. */
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
    /** Runs several reads on the same state of the ledger. */
    together: <Answer>(read: () => Answer) => database.transaction(read)(),
    folders: () => readFolders(database),
    troubles: () => readTroubles(database),
    problems: () => readProblems(database),
    retrying: () => readRetrying(database),
    /** Number of contents that the service has been reading for longer than `slow_reading` says. */
    slow: (now_ms: number) => countSlow(database, now_ms),
    braked: () => readBraked(database),
    /** First wanted (upload limit) or sent (daily limit) in the hours that began in this span. */
    used: (what: 'wanted' | 'sent', span_ms: number, now_ms: number) => used(what, now_ms - span_ms),
    ...createFilesView(database),
    contentState: (project_id: string, md5: string, size: number) =>
      content_state.get(Buffer.from(md5, 'hex'), size, project_id) as ContentState | undefined,
    /** The pause in force at this time; undefined without one. */
    pause: (now_ms: number) => readPause(database, now_ms),
    /** Origin of the last upload (`https://blobs.example.com`); undefined before the first. */
    blobOrigin: () => readBlobOrigin(database),
    /** Assets in the assistant that no file holds. */
    removals: () => readRemovals(database),
    /** Number of ready assets that this ledger made, and of those that existed before. */
    ownership: () => readOwnership(database),
    /** The parting of a content that no file holds; see readPartingOf. */
    partingOf: (content: number) => readPartingOf(database, content),
    olderVersionsOf: (folder: string, path: string) => readOlderVersionsOf(database, folder, path),
    /** Assets that may be removed on the service, one by one. */
    removalCases: () => createRemovalCasesView(database),
    /** Audits of the projects that configured folders belong to. */
    audits: () => readAudits(database),
    /** Data to compare with disk and service. */
    comparison: () => createComparisonView(database),
    close: () => void database.close(),
  }
}

/** Finds the cause. SQLite only says "cannot open" in all of these cases. */
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
    // At its first start, a daemon creates the file before its tables.
    if (database.pragma('user_version', { simple: true }) !== 0) return database
    database.close()
  } catch (error) {
    // Readers of a write-ahead log must be able to open the memory file that its writer shares.
    throw isSluiceError(error, 'database.unreadable') ? noRight(state_dir, error) : error
  }
  throw noLedger(state_dir)
}

function noLedger(state_dir: string): SluiceError {
  const code = 'ledger.none'
  // A start would create an empty ledger, and drop what the rebuild has found.
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
