import { waitsForPerson } from '../../domain/disappearance.ts'
import type { PersonFact } from '../../domain/fact.ts'
import { openLedgerReadOnly } from '../open-ledger.ts'
import { readFolderRows } from '../rows/folder-row.ts'
import type { Amount } from './view-folders.ts'

/** What one pass has done, told beside what view.ts says of the whole. Reads only. */
export type PassView = ReturnType<typeof openPassView>

/**
 * `waits`: a person's word about the whole folder is about that and nothing else. `unlooked`: the ledger does not know what was
 * found; a word counts only after the next check.
 */
export type DisappearanceWait = 'none' | 'waits' | 'unlooked'

const most_groups = 100
const new_files = `FROM files JOIN folders ON folders.id = files.folder
  WHERE files.state = 'present' AND files.ready_ms >= @at_ms AND folders.name IN (SELECT value FROM json_each(@folders))`
const under = (table: string) => `(${table}.path = @path OR (${table}.path >= @first AND ${table}.path < @last))`

/** The same files that record-person.ts moves. */
const reached: Record<PersonFact['type'], string> = {
  removals_accepted: `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM contents
    WHERE state = 'ready' AND remove_due_ms IS NOT NULL AND id IN (SELECT content FROM partings
      WHERE folder = (SELECT id FROM folders WHERE name = @folder) AND ${under('partings')} AND policy = 'remove' AND accepted = 0)`,
  accepted: `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM files
    WHERE folder = (SELECT id FROM folders WHERE name = @folder) AND ${under('files')}
      AND state <> 'gone' AND reason IN ('brake', 'before_start')`,
  retried: `SELECT count(*) AS files, coalesce(sum(files.size), 0) AS bytes
    FROM files LEFT JOIN contents ON contents.id = files.content
    WHERE files.folder = (SELECT id FROM folders WHERE name = @folder) AND ${under('files')}
      AND ((files.state = 'blocked' AND files.reason <> 'brake')
        OR (files.state = 'present' AND (contents.state IN ('refused', 'removed_on_service')
          OR (contents.attempts > 0 AND contents.state NOT IN ('ready', 'abandoned')))))`,
}

/** Errors: `database.missing` before the first run, `account.no_right`, `database.newer`, `database.damaged`. */
export function openPassView(state_dir: string) {
  const database = openLedgerReadOnly(state_dir)
  return {
    /** Files of these folders that became ready from this time on, and the contents among them whose bytes were sent for it. */
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
    /** The files on which a person's word would have an effect. */
    reachedBy({ type, folder, path }: PersonFact) {
      return database.prepare(reached[type]).get({ folder, ...rangeOf(path) }) as Amount
    },
    /** Whether it waits for a word about what has disappeared. */
    disappearanceIn(folder: string): DisappearanceWait {
      const row = readFolderRows(database).find(({ name }) => name === folder)
      if (!waitsForPerson(row?.offline_reason)) return 'none'
      return row?.disappearance ? 'waits' : 'unlooked'
    },
    /** Why files are skipped, with the rule. Reads every file's row. */
    skipped: () =>
      database
        .prepare(
          `SELECT reason, coalesce(detail, '') AS rule, count(*) AS files, sum(size) AS bytes, min(path) AS example
           FROM files JOIN folders ON folders.id = files.folder AND folders.configured = 1
           WHERE state = 'skipped' GROUP BY reason, detail ORDER BY files DESC LIMIT ${most_groups}`,
        )
        .all() as (Amount & { reason: string; rule: string; example: string })[],
    hasContent: (content: number) => database.prepare('SELECT 1 FROM contents WHERE id = ?').get(content) !== undefined,
    close: () => void database.close(),
  }
}

/** A file, or everything below a directory: '0' is the byte after '/'. The empty path is the whole folder. */
function rangeOf(path: string): { path: string; first: string; last: string } {
  if (path === '') return { path: '', first: '', last: '\u{10FFFF}' }
  return { path, first: `${path}/`, last: `${path}0` }
}
