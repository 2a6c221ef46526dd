import type { Sqlite } from '../../base/files/sqlite.ts'
import type { FolderRow } from '../rows/folder-row.ts'

/** Twice what one report reads. Only a prompt that reports nothing for long has more. */
const max_changes = 200_000
/** Rows deleted by one `tidy`: a few milliseconds. */
const trimmed_at_once = 5_000

const asked_sql = `SELECT DISTINCT value FROM prompts, json_each(prompts.folders) WHERE configured = 1`

/** Records the changes of files in folders that prompts ask about. Others cost nothing. */
export class ChangeLog {
  readonly #database: Sqlite
  readonly #insert
  #asked: ReadonlySet<unknown> = new Set()

  constructor(database: Sqlite) {
    this.#database = database
    this.#insert = database.prepare(
      'INSERT INTO changes (folder, path, was, content) VALUES (?, ?, ?, ?)',
    )
    this.reload()
  }

  /** Call this after prompts were configured, and after a rollback. */
  reload(): void {
    this.#asked = new Set(this.#database.prepare(asked_sql).pluck().all())
  }

  /** Notes what a path held before, and holds now. The first scan of a folder changes nothing. */
  note(
    { id, name, first_scan_ms }: FolderRow,
    path: string,
    was: number | undefined,
    content: number | undefined,
  ): void {
    if (was === content || first_scan_ms === undefined || !this.#asked.has(name)) return
    this.#insert.run(id, path, was, content)
  }

  /** Deletes some of the rows that every prompt of their folder has reported. */
  trim(): void {
    this.#database
      .prepare(
        `DELETE FROM changes WHERE id IN (
           SELECT changes.id FROM folders CROSS JOIN changes ON changes.folder = folders.id AND changes.id <= max(
               (SELECT max(id) FROM changes) - ${max_changes},
               coalesce((SELECT min(changes_to) FROM prompts, json_each(prompts.folders)
                 WHERE configured = 1 AND value = folders.name), (SELECT max(id) FROM changes)))
           LIMIT ${trimmed_at_once})`,
      )
      .run()
  }
}
