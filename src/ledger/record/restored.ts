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

/**
 * Marks a closed ledger as restored from a backup. Nothing that it calls ready is known to be ready
 * still, so each project is audited as soon as a daemon can. An audit round that was running when
 * the backup was made saw the state of that time, so it does not continue.
 */
export function markRestored(file: string, now_ms: number): void {
  changeClosed(file, (database) => {
    database
      .prepare('UPDATE audits SET wanted = 1, restored_ms = ?, began_ms = NULL, asked = 0, cursor = NULL, listed = 0')
      .run(now_ms)
  })
}

/**
 * Puts the rebuilt, closed ledger of `new_dir` in the place of the lost one. The lost one is moved
 * aside, and its new path is returned; undefined without one. The caller holds the locks of both.
 * Tickets belong to their ledger and go with it.
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

/**
 * The rebuild has just made all contents wanted. For the upload limit that would be a day of new
 * files, which would hold back tomorrow's.
 */
function forgetWanted(file: string): void {
  changeClosed(file, (database) => database.exec(`DELETE FROM usage WHERE what = 'wanted'`))
}

/** Changes a ledger that no process has open. Afterwards the file alone has everything. */
function changeClosed(file: string, change: (database: Sqlite) => void): void {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  try {
    change(database)
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}
