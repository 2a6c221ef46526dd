import { messageOf } from '../base/errors.ts'
import { type Migration, openSqlite, type Sqlite } from '../base/sqlite.ts'
import { course_schema } from './schema-course.ts'
import { files_schema } from './schema-files.ts'
import { prompts_schema } from './schema-prompts.ts'

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

/** ledger.db. Formats 1 to 9 were those of its development; the first release begins with this one, and migrations after it. */
export const ledger_migrations: readonly Migration[] = [
  { version: 10, sql: [files_schema, prompts_schema, course_schema].join('\n') },
]

/*
 * tickets.db, apart from the ledger so that backups and logs never see it, with secure_delete. A ticket lost in a power cut
 * costs one slot, so its commits need not reach the platter: synchronous NORMAL.
 */
const tickets = `
CREATE TABLE tickets (
  content INTEGER PRIMARY KEY,
  asset_id TEXT NOT NULL,
  upload_url TEXT NOT NULL,
  upload_method TEXT NOT NULL,
  upload_headers TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
`

export const ticket_migrations: readonly Migration[] = [{ version: 1, sql: tickets }]
