import { openSqlite } from '../../../src/base/files/sqlite.ts'
import { dataPaths, makeDataFolders } from '../../../src/service/store/database.ts'
import { passage_migrations } from '../../../src/service/store/passages/index-format.ts'
import { service_migrations } from '../../../src/service/store/schema.ts'
import { md5Of, temporaryFolder } from '../fixture.ts'

export const earlier_project = 'project_0000000000000earlier'

export interface EarlierFile {
  filename: string
  bytes: string | Buffer
  /** True if a child process read it. */
  needs_child?: boolean
}

/**
 * The data folder of a service of format 6, which recorded no `reading`. It has one project, called
 * earlier. Each file is ready, and the index has the passage "earlier words of FILENAME" of it.
 */
export function earlierData(files: readonly EarlierFile[], data_dir = temporaryFolder()): string {
  const paths = dataPaths(data_dir)
  makeDataFolders(paths)
  const migrations = service_migrations.filter(({ version }) => version <= 6)
  const database = openSqlite({ file: paths.database, migrations, synchronous: 'NORMAL' })
  const of_first_form = passage_migrations.filter(({ version }) => version === 1)
  const index_file = { file: paths.passages, migrations: of_first_form }
  const passages = openSqlite({ ...index_file, synchronous: 'NORMAL' })
  const passage = passages.prepare('INSERT INTO passages (text, asset, project) VALUES (?, ?, 1)')
  const span = passages.prepare('INSERT INTO spans (asset, first, last) VALUES (?, ?, ?)')
  database.exec(`INSERT INTO projects (project_id, name, created_at_ms, workspace)
    VALUES ('${earlier_project}', 'earlier', 0, 1)`)
  const asset = database.prepare(`INSERT INTO assets
    (asset_id, project, filename, mime_type, status, md5, size_in_bytes, created_at_ms, expires_at_ms, needs_child)
    VALUES (?, 1, ?, 'application/octet-stream', 'ready', ?, ?, 0, 0, ?)`)
  const object = database.prepare(
    'INSERT INTO objects (asset, size_in_bytes, md5, bytes) VALUES (?, ?, ?, ?)',
  )
  database.transaction(() => {
    for (const [at, { filename, bytes, needs_child }] of files.entries()) {
      const stored = Buffer.from(bytes)
      const md5 = md5Of(stored)
      const id = earlierId(at)
      const { lastInsertRowid } = asset.run(id, filename, md5, stored.length, needs_child ? 1 : 0)
      object.run(lastInsertRowid, stored.length, md5, stored)
    }
  })()
  passages.transaction(() => {
    for (const [at, { filename }] of files.entries()) {
      const { lastInsertRowid: row } = passage.run(`earlier words of ${filename}`, at + 1)
      span.run(at + 1, row, row)
    }
  })()
  database.close()
  passages.close()
  return data_dir
}

/** The id of the file at this place of `files`. */
export function earlierId(at: number): string {
  return `asset_0000000000earlier${String(at).padStart(3, '0')}`
}
