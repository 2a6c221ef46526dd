import { openSqlite, type Sqlite } from '../../base/files/sqlite.ts'
import { ledger_migrations } from '../file/ledger-file.ts'
import {
  ledgerFile,
  moveAside,
  moveDatabase,
  removeDatabase,
  syncDirectory,
  ticketsFile,
} from '../file/state-directory.ts'
import { fileRow } from '../rows/file-rows.ts'
import type { ContentRecorder } from './record-content.ts'
import type { FileRecorder } from './record-file.ts'

/**
 * In a ledger from a backup, which is closed: nothing that it calls ready is known to be so still, and each project is audited as soon
 * as a daemon can. A round that was under way when the backup was made saw what was there then, so none goes on.
 */
export function markRestored(file: string, now_ms: number): void {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  try {
    database
      .prepare(
        `INSERT INTO audits (project, wanted, restored_ms) SELECT id, 1, @now_ms FROM projects WHERE true
         ON CONFLICT (project) DO UPDATE SET wanted = 1, restored_ms = @now_ms, began_ms = NULL, asked = 0, cursor = NULL, listed = 0`,
      )
      .run({ now_ms })
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}

/** Rows in memory at a time: thousands of files may have the same bytes. */
const copies_at_once = 5_000

/** The projects that were not audited since the ledger came back from a backup. */
export function createRestoredProjects(
  database: Sqlite,
  { files, contents }: { files: FileRecorder; contents: ContentRecorder },
) {
  const is_unaudited = database.prepare(
    `SELECT 1 FROM contents JOIN audits ON audits.project = contents.project
       WHERE contents.id = ? AND restored_ms IS NOT NULL`,
  )
  const audited_sql = database.prepare(
    'UPDATE audits SET restored_ms = NULL WHERE project = ? AND restored_ms IS NOT NULL',
  )
  const copies_sql = database
    .prepare(`SELECT * FROM files WHERE content = ? AND state = 'present' LIMIT ${copies_at_once}`)
    .safeIntegers(true)

  /**
   * After the service said that an asset is gone. Who removed it is not known here: it may have been us, after the backup was made, and
   * the same bytes may be there as another asset. So nobody is told of it; its files are looked at as if they were new, then asked for
   * by their bytes, and sent where those are not there. However many they are, the brake counts them.
   */
  function assetMissing(content: number, at_ms: number): void {
    if (is_unaudited.get(content) === undefined) return
    for (;;) {
      const copies = copies_sql.all(content) as Parameters<typeof fileRow>[0][]
      for (const copy of copies) files.lookAgain(fileRow(copy), {}, at_ms)
      if (copies.length < copies_at_once) break
    }
    contents.apply({ type: 'content_wanted_again', content, not_before_ms: at_ms }, at_ms)
    contents.apply({ type: 'content_orphaned', content }, at_ms)
  }

  function audited(project: number): void {
    audited_sql.run(project)
  }

  return { assetMissing, audited }
}

export type RestoredProjects = ReturnType<typeof createRestoredProjects>

/**
 * Puts a ledger that was made anew in `new_dir`, and is closed, in the place of the lost one, which is moved aside; answers its
 * new name. The caller holds the lock of both. Tickets belong to their ledger and go with it.
 */
export function putRebuiltInPlace(state_dir: string, new_dir: string, now_ms: number): string | undefined {
  forgetWanted(ledgerFile(new_dir))
  const aside = moveAside(state_dir, 'damaged', now_ms)
  removeDatabase(ticketsFile(state_dir))
  moveDatabase(ticketsFile(new_dir), ticketsFile(state_dir))
  moveDatabase(ledgerFile(new_dir), ledgerFile(state_dir))
  syncDirectory(state_dir)
  return aside
}

/** Everything was wanted anew just now: for the brake that would be a day's worth of new files, and hold up tomorrow's. */
function forgetWanted(file: string): void {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  try {
    database.prepare(`DELETE FROM usage WHERE what = 'wanted'`).run()
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}
