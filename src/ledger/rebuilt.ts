import { openSqlite } from '../base/sqlite.ts'
import { ledger_migrations } from './ledger-file.ts'
import { ledgerFile, moveAside, moveDatabase, removeDatabase, syncDirectory, ticketsFile } from './state-directory.ts'

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
