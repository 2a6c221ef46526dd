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
 * In a ledger from a backup, which is closed: nothing that it calls ready is known to be so still, and each project is audited as soon
 * as a daemon can. A round that was under way when the backup was made saw what was there then, so none goes on.
 */
export function markRestored(file: string, now_ms: number): void {
  changeClosed(file, (database) => {
    database
      .prepare('UPDATE audits SET wanted = 1, restored_ms = ?, began_ms = NULL, asked = 0, cursor = NULL, listed = 0')
      .run(now_ms)
  })
}

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
  changeClosed(file, (database) => database.exec(`DELETE FROM usage WHERE what = 'wanted'`))
}

/** A ledger that nobody has open; afterwards all of it stands in the file. */
function changeClosed(file: string, change: (database: Sqlite) => void): void {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  try {
    change(database)
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}
