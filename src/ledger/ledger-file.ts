import { messageOf } from '../base/errors.ts'
import { openSqlite, type Sqlite } from '../base/sqlite.ts'
import { ledger_migrations } from './migrations.ts'

/** 16 MB of log: four times SQLite's default, since the same pages are written again and again during a first scan. */
const pages_between_checkpoints = 4_000

/** For writing, brought to the newest version. */
export function openLedgerFile(file: string): Sqlite {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  database.pragma(`wal_autocheckpoint = ${pages_between_checkpoints}`)
  return database
}

/**
 * Before it is closed. SQLite does this only for the last that closes, and a reader may be it: then the file alone, copied, would be
 * an old one. Where it fails (a full disk) nothing is lost: the log beside the file is read with it.
 */
export function emptyLogOf(database: Sqlite): void {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    process.emitWarning(`the log of the ledger could not be written back: ${messageOf(error)}`)
  }
}
