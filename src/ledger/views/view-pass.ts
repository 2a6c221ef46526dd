import { readAll } from '../../base/files/sqlite.ts'
import { waitsForUser } from '../../domain/disappearance.ts'
import type { UserFact } from '../../domain/fact.ts'
import { extensionOf, isTypePattern } from '../../domain/file-type.ts'
import { openLedgerReadOnly } from '../file/ledger-file.ts'
import { pathsBelow, waits_for_accept } from '../rows/file-rows.ts'
import { readFolderRows } from '../rows/folder-row.ts'
import { readPause, readTroubles } from '../rows/trouble-rows.ts'
import { fileEndedBy, type WaitName, wait_of_file } from '../rows/waits.ts'
import { type Amount, readAudits } from './view-folders.ts'
import { readReasons } from './view-reasons.ts'

/** Results of one pass of `sync`, and counts for `accept` and `retry`. Reads only. */
export type PassView = ReturnType<typeof openPassView>

/**
 * How the folder waits for a user.
 *
 * - `none`: it does not wait.
 * - `waits`: an acknowledgement of the whole folder is about its missing files, and nothing else.
 * - `unchecked`: the ledger does not know which files were found. An acknowledgement counts only
 *   after the next check.
 */
export type DisappearanceWait = 'none' | 'waits' | 'unchecked'

export interface WaitingFiles {
  wait: WaitName
  files: number
}

const new_files = `FROM files JOIN folders ON folders.id = files.folder
  WHERE files.state = 'present' AND files.ready_ms >= @at_ms AND folders.name IN (SELECT value FROM json_each(@folders))`
const under = (table: string) =>
  `(${table}.path = @path OR (${table}.path >= @first AND ${table}.path < @last))`

/** SQL that counts the files below a path by what they wait for. */
const waiting = `SELECT ${wait_of_file} AS wait, count(*) AS files, coalesce(sum(files.size), 0) AS bytes
  FROM files LEFT JOIN contents ON contents.id = files.content AND files.state = 'present'
  WHERE files.folder = (SELECT id FROM folders WHERE name = @folder) AND ${under('files')}
  GROUP BY wait`

/**
 * SQL that counts the rows that each fact changes, as in record-user.ts and removal-rows.ts. Of
 * those that `retried` changes, a file that waits for something else as well does not count.
 */
const reached: Record<UserFact['type'], string> = {
  removals_accepted: `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM contents
    WHERE state = 'ready' AND remove_due_ms IS NOT NULL AND id IN (SELECT content FROM partings
      WHERE folder = (SELECT id FROM folders WHERE name = @folder) AND ${under('partings')} AND policy = 'remove' AND accepted = 0)`,
  accepted: `SELECT count(*) AS files, coalesce(sum(files.size), 0) AS bytes
    FROM files LEFT JOIN contents ON contents.id = files.content AND files.state = 'present' AND contents.error_code LIKE 'type_%:%'
    WHERE folder = (SELECT id FROM folders WHERE name = @folder) AND (${under('files')} OR @extension IS NOT NULL) AND (substr(error_code, instr(error_code, ':') + 1) = @extension
      OR ${under('files')} AND (error_code IS NOT NULL OR files.state <> 'gone' AND ${waits_for_accept}))`,
  retried: `SELECT count(*) AS files, coalesce(sum(files.size), 0) AS bytes FROM files
    LEFT JOIN contents ON contents.id = files.content AND files.state = 'present'
    WHERE files.folder = (SELECT id FROM folders WHERE name = @folder) AND ${under('files')}
      AND ${fileEndedBy('retried')}`,
}

/** SQL that counts one for a type that the undo of `accept` is about. */
const accepted_type = `SELECT count(*) AS files, 0 AS bytes FROM types WHERE state = 'accepted' AND extension = @extension
  AND project = (SELECT project FROM folders WHERE name = @folder)`

/** Errors: those of openLedgerReadOnly. */
export function openPassView(state_dir: string) {
  const database = openLedgerReadOnly(state_dir)
  return {
    /** Files of these folders that became ready since then. `sent`: contents sent by Sluice. */
    newSince(at_ms: number, folders: readonly string[]) {
      const values = { at_ms, folders: JSON.stringify(folders) }
      const files = database.prepare(`SELECT count(*) ${new_files}`).pluck().get(values) as number
      const sent = database
        .prepare(
          `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM contents
           WHERE made_here = 1 AND state = 'ready' AND ready_ms >= @at_ms AND id IN (SELECT files.content ${new_files})`,
        )
        .get(values) as Amount
      return { files, sent }
    },
    /** Files, or assets to remove, that this fact would change. */
    reachedBy({ type, folder, path }: UserFact, now_ms: number) {
      const extension = isTypePattern(path) ? extensionOf(path) : null
      const sql = path.startsWith('!') && extension !== null ? accepted_type : reached[type]
      const values = { folder, path, extension, now_ms, ...pathsBelow(path) }
      return database.prepare(sql).get(values) as Amount
    },
    /** The waits of the files at or below this path, most first. */
    waitsAt({ folder, path }: UserFact, now_ms: number): WaitingFiles[] {
      const sql = database.prepare(`${waiting} HAVING wait IS NOT NULL ORDER BY files DESC`)
      return readAll(sql, { folder, path, now_ms, ...pathsBelow(path) })
    },
    /** The content of the file at exactly this path. */
    contentAt: ({ folder, path }: UserFact): number | undefined =>
      database
        .prepare(
          `SELECT content FROM files WHERE folder = (SELECT id FROM folders WHERE name = ?) AND path = ?`,
        )
        .pluck()
        .get(folder, path) as number | undefined,
    disappearanceIn(folder: string): DisappearanceWait {
      const row = readFolderRows(database).find(({ name }) => name === folder)
      if (!waitsForUser(row?.offline_reason)) return 'none'
      return row?.disappearance ? 'waits' : 'unchecked'
    },
    /** True if the project seems emptied or replaced, and no user has accepted that yet. */
    seemsEmptied: (project_id: string) =>
      readAudits(database).some(
        (audit) => audit.project_id === project_id && audit.emptied !== undefined,
      ),
    pause: (now_ms: number) => readPause(database, now_ms),
    troubles: () => readTroubles(database),
    reasons: (kind: 'not_ready' | 'skipped', folders: readonly string[]) =>
      readReasons(database, kind, folders),
    hasContent: (content: number) =>
      database.prepare('SELECT 1 FROM contents WHERE id = ?').get(content) !== undefined,
    close: () => void database.close(),
  }
}
