import type { Sqlite } from '../base/sqlite.ts'
import type { PersonFact } from '../domain/fact.ts'
import { after_all_paths } from './differences.ts'
import { type FileRow, fileRow } from './file-rows.ts'
import type { FolderConsequences, FolderRow } from './folder-rows.ts'
import type { ContentRecorder } from './record-content.ts'
import type { FileRecorder } from './record-file.ts'

/** A person's word, and what a changed config means for many rows at once. */
export class PersonRecorder {
  readonly #files: FileRecorder
  readonly #contents: ContentRecorder
  readonly #under
  readonly #in_need
  readonly #relabel

  constructor(database: Sqlite, parts: { files: FileRecorder; contents: ContentRecorder }) {
    this.#files = parts.files
    this.#contents = parts.contents
    this.#under = database
      .prepare(
        `SELECT * FROM files WHERE folder = @folder AND (path = @path OR (path >= @first AND path < @last)) AND state <> 'gone'`,
      )
      .safeIntegers(true)
    this.#in_need = database
      .prepare(
        `SELECT DISTINCT contents.id FROM contents JOIN files ON files.content = contents.id
         WHERE contents.state IN ('refused', 'removed_on_service', 'wanted', 'reserving', 'reserved', 'sent', 'ingesting')
           AND files.folder = @folder AND files.state = 'present'
           AND (files.path = @path OR (files.path >= @first AND files.path < @last))`,
      )
      .pluck()
    this.#relabel = database.prepare(
      `UPDATE contents SET labels_due_ms = ? WHERE id IN (SELECT content FROM files WHERE folder = ? AND state = 'present')`,
    )
  }

  apply(fact: PersonFact, folder: FolderRow, at_ms: number): void {
    const rows = this.#rowsUnder(folder, fact.path)
    if (fact.type === 'accepted') {
      for (const row of rows) {
        if (row.reason === 'brake' || row.reason === 'before_start') {
          this.#files.lookAgain(row, { accepted: true }, at_ms)
        }
      }
      return
    }
    for (const row of rows) {
      if (row.state === 'blocked' && row.reason !== 'brake') this.#files.lookAgain(row, {}, at_ms)
    }
    for (const content of this.#in_need.all(range(folder, fact.path)) as number[]) this.#contents.retry(content, at_ms)
  }

  folderConsequences(at_ms: number): FolderConsequences {
    return {
      relinkFiles: (folder) => {
        for (const row of this.#rowsUnder(folder, '')) this.#files.lookAgain(row, { content: undefined }, at_ms)
      },
      lookAtSkippedAgain: (folder) => {
        for (const row of this.#rowsUnder(folder, '')) {
          if (row.state === 'skipped') this.#files.lookAgain(row, {}, at_ms)
        }
      },
      relabel: (folder) => void this.#relabel.run(at_ms, folder.id),
    }
  }

  #rowsUnder(folder: FolderRow, path: string): FileRow[] {
    return (this.#under.all(range(folder, path)) as Parameters<typeof fileRow>[0][]).map(fileRow)
  }
}

/** A file, or everything below a directory: '0' is the byte after '/'. The empty path is the whole folder. */
function range(
  folder: FolderRow,
  path: string,
): { folder: number; path: string; first: string; last: string | Buffer } {
  if (path === '') return { folder: folder.id, path: '', first: '', last: after_all_paths }
  return { folder: folder.id, path, first: `${path}/`, last: `${path}0` }
}
