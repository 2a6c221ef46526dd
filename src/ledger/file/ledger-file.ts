import {
  type Migration,
  openSqlite,
  openSqliteReadOnly,
  type Sqlite,
} from '../../base/files/sqlite.ts'
import { isSluiceError, messageOf, SluiceError } from '../../base/run/errors.ts'
import type { Fact } from '../../domain/fact.ts'
import { extensionOf } from '../../domain/file-type.ts'
import { course_schema } from './schema-course.ts'
import { files_schema } from './schema-files.ts'
import { names_schema } from './schema-names.ts'
import { changes_schema, prompts_schema, unread_schema } from './schema-prompts.ts'
import { growing_readings_schema, readings_schema } from './schema-readings.ts'
import { refusals_schema } from './schema-refusals.ts'
import { isRebuildOpen, ledgerFile, noRight, refuseNoRight } from './state-directory.ts'

/** 16 MB, four times SQLite's default: a first scan writes the same pages again and again. */
const pages_between_checkpoints = 4_000

/** Opens a ledger for writing and brings it to the newest version. */
export function openLedgerFile(file: string): Sqlite {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  database.function('extension_of', { deterministic: true }, extensionOf as () => string)
  database.pragma(`wal_autocheckpoint = ${pages_between_checkpoints}`)
  return database
}

/**
 * Writes the log back into the ledger file, so that a copy of the file alone is not old. SQLite
 * does not do this if a reader's connection closes last. A failure (a full disk) loses nothing.
 */
export function emptyLogOf(database: Sqlite): void {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    process.emitWarning(`the log of the ledger could not be written back: ${messageOf(error)}`)
  }
}

/**
 * Opens a ledger for reading. Only a copy of it may be made in an older format, which the present
 * queries do not know. Errors: `ledger.none`, `account.no_right`, `database.*`.
 */
export function openLedgerReadOnly(state_dir: string, may_be_older = false): Sqlite {
  const file = ledgerFile(state_dir)
  refuseNoRight(state_dir, [file], 'read')
  try {
    const database = openSqliteReadOnly(file, ledger_migrations)
    const format = database.pragma('user_version', { simple: true }) as number
    if (format === newest_format || (may_be_older && format !== 0)) return database
    database.close()
    // A first start makes the file before its tables. On a full disk it ends there.
    if (format !== 0) throw notYetMigrated(file, format)
  } catch (error) {
    // Readers of a write-ahead log must be able to open the memory file that its writer shares.
    if (isSluiceError(error, 'database.unreadable')) throw noRight(state_dir, error)
    if (!isSluiceError(error, 'database.missing')) throw error
  }
  throw noLedger(state_dir)
}

function notYetMigrated(file: string, format: number): SluiceError {
  return new SluiceError({
    code: 'database.older',
    message: `${file} was written by an earlier version of Sluice (format ${format}, this program reads ${newest_format})`,
    hint: 'restart the daemon, or run `sluice sync` if none is running: it brings the ledger to the new format',
  })
}

function noLedger(state_dir: string): SluiceError {
  const code = 'ledger.none'
  // The usual hint would be wrong: an open rebuild refuses each start (`config.rebuild_open`).
  if (isRebuildOpen(state_dir)) {
    const message = `${state_dir} has no ledger until its rebuild ends, which has not happened yet`
    const hint = 'wait if a rebuild is running; otherwise run `sluice rebuild` again to continue it'
    return new SluiceError({ code, message, hint })
  }
  const message = `${state_dir} has no ledger yet: Sluice has not run with this configuration`
  const hint =
    'start it with `sluice run`, or `sluice sync` for one pass; `sluice plan` shows beforehand what would be uploaded'
  return new SluiceError({ code, message, hint })
}

/** Migrations of ledger.db. Formats 1 to 13 existed only before the first release. */
export const ledger_migrations: readonly Migration[] = [
  { version: 14, sql: [files_schema, prompts_schema, course_schema].join('\n') },
  { version: 15, sql: names_schema },
  // The answer of the service about a type that rests (TypeRow in rows/type-rows.ts).
  { version: 16, sql: 'ALTER TABLE types ADD COLUMN rests TEXT' },
  { version: 17, sql: refusals_schema },
  // The code of the answer that `rests` is about (TypeRow in rows/type-rows.ts).
  { version: 18, sql: 'ALTER TABLE types ADD COLUMN answer TEXT' },
  // Since when a file settles or is blocked (KnownFile in domain/file.ts).
  { version: 19, sql: 'ALTER TABLE files ADD COLUMN since_ms INTEGER' },
  { version: 20, sql: readings_schema },
  { version: 21, sql: growing_readings_schema },
  { version: 22, sql: changes_schema },
  { version: 23, sql: unread_schema },
]

const newest_format = ledger_migrations.at(-1)!.version

/**
 * One file's part in a batch of calls: a transaction from the first write, a savepoint for each
 * call. Statements are prepared once: parsing "SAVEPOINT" costs more than the savepoint.
 */
export function createTransaction(database: Sqlite) {
  let in_call = false
  const begin = database.prepare('BEGIN IMMEDIATE')
  const commit_sql = database.prepare('COMMIT')
  const rollback = database.prepare('ROLLBACK')
  const savepoint = database.prepare('SAVEPOINT one_call')
  const release = database.prepare('RELEASE one_call')
  const rollback_to = database.prepare('ROLLBACK TO one_call')

  /** Call this before each write. It does something only at the first write of a call. */
  function enter(): void {
    if (in_call) return
    if (!database.inTransaction) begin.run()
    savepoint.run()
    in_call = true
  }

  /** Keeps the call's writes until the batch commits. */
  function keepCall(): void {
    if (in_call) release.run()
    in_call = false
  }

  /** Undoes the call's writes. False: SQLite ended the transaction (disk full). The batch fails. */
  function undoCall(): boolean {
    if (!in_call) return true
    in_call = false
    if (!database.inTransaction) return false
    rollback_to.run()
    release.run()
    return true
  }

  function commit(): void {
    if (database.inTransaction) commit_sql.run()
  }

  function rollBack(): void {
    in_call = false
    if (database.inTransaction) rollback.run()
  }

  return { enter, keepCall, undoCall, commit, rollBack }
}

/** The page cache outside a first scan, when most rows are read once or are few. */
const usual_kib = 6_144

/** The page cache during a first scan, which reads the md5 index at random places. */
const first_scan_kib = 32_768

/**
 * Sets the size of SQLite's page cache. It is large only while files are recorded by the thousand:
 * a rescan of a million rows would fill it and gain nothing.
 */
export function createPageCache(database: Sqlite) {
  let kib = 0
  take(usual_kib)

  /** Sets the size for this fact. Call it before the fact is recorded. */
  function fit({ type }: Fact): void {
    if (type === 'files_found') take(first_scan_kib)
    else if (type === 'scan_finished') take(usual_kib)
  }

  function take(wanted_kib: number): void {
    if (wanted_kib === kib) return
    database.pragma(`cache_size = -${wanted_kib}`)
    kib = wanted_kib
  }

  return { fit }
}
