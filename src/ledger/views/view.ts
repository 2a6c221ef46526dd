import { readOne } from '../../base/files/sqlite.ts'
import type { ContentState } from '../../domain/content.ts'
import { openLedgerReadOnly } from '../file/ledger-file.ts'
import { usedSince } from '../rows/counts.ts'
import { createNamingReader } from '../rows/name-rows.ts'
import { readPause, readTroubles } from '../rows/trouble-rows.ts'
import { createComparisonView } from './view-comparison.ts'
import { createFilesView } from './view-files.ts'
import { readAudits, readFolders } from './view-folders.ts'
import {
  countSlow,
  type ProblemKey,
  readOverLimit,
  readProblemFiles,
  readProblems,
  readRetrying,
} from './view-problems.ts'
import {
  createRemovalCasesView,
  readOlderVersionsOf,
  readOwnership,
  readPartingOf,
  readRemovals,
  readRenameRefusals,
} from './view-removal-cases.ts'

/**
 * The ledger as users see it. Reads only, with or without a running daemon. Answers are limited,
 * and file counts come from stored sums, so for status a million files cost no more than ten.
 * Folders that left the configuration are not shown.
 */
export type LedgerView = ReturnType<typeof openLedgerView>

/** Errors: those of openLedgerReadOnly. */
export function openLedgerView(state_dir: string) {
  const database = openLedgerReadOnly(state_dir)
  const used = usedSince(database)
  const content_state = database
    .prepare(
      `SELECT state FROM contents WHERE md5 = ? AND size = ? AND project = (SELECT id FROM projects WHERE project_id = ?)`,
    )
    .pluck()
  const unread_types = database
    .prepare(
      `SELECT project_id || ' ' || extension, iif(state = 'refused', 'refused', iif(rests <> '', 'rests', 'unread'))
       FROM types JOIN projects ON id = project
       WHERE state = 'refused' OR rests <> '' OR (state = 'unproven' AND failed <> '[]')`,
    )
    .raw()
  const blob_origin = database.prepare(`SELECT origin FROM hosts WHERE what = 'blob'`).pluck()
  return {
    /** Runs several reads on the same state of the ledger. */
    together: <Answer>(read: () => Answer) => database.transaction(read)(),
    folders: () => readFolders(database),
    /** Troubles that hold uploads and questions up, or that of the page, which holds up nothing. */
    troubles: (of_page = false) =>
      readTroubles(database).filter(({ about }) => (about === 'page') === of_page),
    problems: (folders?: readonly string[]) => readProblems(database, folders),
    /** The files of one group of `problems`, at most `limit`. */
    problemFiles: (group: ProblemKey, folders: readonly string[], limit: number) =>
      readProblemFiles(database, group, folders, limit),
    retrying: () => readRetrying(database),
    slow: (now_ms: number) => countSlow(database, now_ms),
    over_limit: (folders?: readonly string[]) => readOverLimit(database, folders),
    /** Types of which the service has read no file, by `PROJECT_ID EXTENSION`. */
    unread_types: () => new Map(unread_types.all() as [string, 'refused' | 'rests' | 'unread'][]),
    /** Contents that became wanted, or were sent, in the hours that began in this span. */
    used: (what: 'wanted' | 'sent', span_ms: number, now_ms: number) =>
      used(what, now_ms - span_ms),
    ...createFilesView(database),
    contentState: (project_id: string, md5: string, size: number) =>
      content_state.get(Buffer.from(md5, 'hex'), size, project_id) as ContentState | undefined,
    pause: (now_ms: number) => readPause(database, now_ms),
    /** Origin of the newest upload URL (`https://blobs.example.com`); undefined without one. */
    blobOrigin: () => readOne<string>(blob_origin),
    removals: () => readRemovals(database),
    renameRefusals: () => readRenameRefusals(database),
    ownership: () => readOwnership(database),
    partingOf: (content: number) => readPartingOf(database, content),
    /** Folders that the names of an asset come from, as `foldersNaming` says it. */
    naming: createNamingReader(database),
    olderVersionsOf: (folder: string, path: string) => readOlderVersionsOf(database, folder, path),
    removalCases: () => createRemovalCasesView(database),
    audits: () => readAudits(database),
    comparison: () => createComparisonView(database),
    close: () => void database.close(),
  }
}
