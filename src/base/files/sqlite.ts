import { chmodSync, existsSync, rmSync } from 'node:fs'
import type Database from 'better-sqlite3'
import { codeOf, messageOf, SluiceError } from '../run/errors.ts'
import { sqliteDriver } from './sqlite-driver.ts'

export type Sqlite = Database.Database
export type Statement = Database.Statement<unknown[]>

export interface Migration {
  /** Without gaps; stored in PRAGMA user_version. An older format than the first is refused. */
  version: number
  sql: string
}

export interface OpenOptions {
  file: string
  migrations: readonly Migration[]
  /** FULL: a commit survives a power cut. NORMAL: it survives a crash of the process only. */
  synchronous: 'FULL' | 'NORMAL'
  /** Overwrites deleted content with zeros (PRAGMA secure_delete): for files that hold secrets. */
  secure_delete?: boolean
  /** No copy is kept before a migration: all of it can be made again. */
  can_be_made_again?: boolean
}

/**
 * Opens a database in WAL mode, mode 0600, and migrates it to the newest version. Before each
 * migration of existing data, it keeps a copy as `FILE.before-vN`. Errors: `database.*` (in this
 * file), each naming the file.
 */
export function openSqlite({
  file,
  migrations,
  synchronous,
  secure_delete = false,
  can_be_made_again = false,
}: OpenOptions): Sqlite {
  return openSqliteBare(file, { timeout: usual_wait_ms }, (database) => {
    if (file !== ':memory:') chmodSync(file, 0o600)
    database.pragma('journal_mode = WAL')
    database.pragma(`synchronous = ${synchronous}`)
    database.pragma('foreign_keys = ON')
    database.pragma('temp_store = MEMORY')
    if (secure_delete) database.pragma('secure_delete = ON')
    migrate(database, can_be_made_again ? undefined : file, migrations)
  })
}

/** Maximum wait for a lock that another connection holds. */
const usual_wait_ms = 5_000

/** If `prepare` fails, closes the database and throws the error with our code. */
export function openSqliteBare(
  file: string,
  options: Database.Options,
  prepare: (database: Sqlite) => void,
): Sqlite {
  let database: Sqlite | undefined
  try {
    database = new (sqliteDriver())(file, options)
    prepare(database)
    return database
  } catch (error) {
    database?.close()
    throw translateSqliteError(error, file)
  }
}

/** Opens it even while a process writes it. Errors: `database.missing`, or as `openSqlite`. */
export function openSqliteReadOnly(
  file: string,
  migrations: readonly Migration[] | 'any format',
): Sqlite {
  if (!existsSync(file)) {
    throw new SluiceError({ code: 'database.missing', message: `there is no database at ${file}` })
  }
  return openSqliteBare(file, { readonly: true, timeout: usual_wait_ms }, (database) => {
    if (migrations !== 'any format') versionOf(database, file, migrations)
  })
}

/** `kept_as`: the beginning of the name of the copy before a migration; undefined for none. */
function migrate(
  database: Sqlite,
  kept_as: string | undefined,
  migrations: readonly Migration[],
): void {
  const current = versionOf(database, database.name, migrations)
  for (const migration of migrations) {
    if (migration.version <= current) continue
    if (current > 0 && kept_as !== undefined)
      keepCopy(database, `${kept_as}.before-v${migration.version}`)
    database.transaction(() => {
      database.exec(migration.sql)
      database.pragma(`user_version = ${migration.version}`)
    })()
  }
}

function keepCopy(database: Sqlite, copy: string): void {
  rmSync(copy, { force: true })
  database.prepare('VACUUM INTO ?').run(copy)
  chmodSync(copy, 0o600)
}

/** The format of the database; 0 for a new one. Throws if `migrations` do not include it. */
function versionOf(database: Sqlite, file: string, migrations: readonly Migration[]): number {
  const current = database.pragma('user_version', { simple: true }) as number
  const oldest = migrations[0]?.version ?? 0
  const newest = migrations.at(-1)?.version ?? 0
  if (current > 0 && current < oldest) {
    throw new SluiceError({
      code: 'database.older',
      message: `${file} was written by Sluice before its first release (format ${current}, this program knows ${oldest} and newer)`,
      hint: 'move the file away; a ledger: `sluice rebuild` makes it again, and sends nothing that the service has',
    })
  }
  if (current > newest) {
    throw new SluiceError({
      code: 'database.newer',
      message: `${file} was written by a newer version of Sluice (format ${current}, this program knows up to ${newest})`,
      hint: 'install the newer version again, or restore the copy that it kept before its migration (FILE.before-v…)',
    })
  }
  return current
}

/** Compiles each SQL text once. Settings (`pluck`) stay set, so use a text for one purpose. */
export function preparingOnce(database: Sqlite): Sqlite {
  const prepare = database.prepare.bind(database) as (sql: string) => Statement
  const statements = new Map<string, Statement>()
  const prepareOnce = (sql: string) => {
    const statement = statements.get(sql) ?? prepare(sql)
    statements.set(sql, statement)
    return statement
  }
  return Object.assign(database, { prepare: prepareOnce })
}

/** All rows of a statement, with undefined in place of NULL. */
export function readAll<Row>(statement: Statement, ...values: unknown[]): Row[] {
  return (statement.all(...values) as Row[]).map(withoutNull)
}

/** The first row, or its value with `pluck`. undefined in place of NULL, and if there is no row. */
export function readOne<Row>(statement: Statement, ...values: unknown[]): Row | undefined {
  return withoutNull((statement.get(...values) as Row | null) ?? undefined)
}

function withoutNull<Row>(row: Row): Row {
  for (const name in row) {
    if (row[name] === null) row[name] = undefined as never
  }
  return row
}

/** Gives SQLite's errors our codes; any other error passes unchanged. */
export function translateSqliteError(error: unknown, file: string): unknown {
  const code = codeOf(error)
  if (error instanceof SluiceError || !code?.startsWith('SQLITE_')) return error
  const [, ours, hint] = sqlite_faults.find(([prefix]) => code.startsWith(prefix)) ?? [
    '',
    'database.failed',
  ]
  return new SluiceError({
    code: ours,
    message: `${file}: ${messageOf(error)}`,
    hint,
    detail: code,
    cause: error,
  })
}

const recorded = 'nothing that was recorded is lost'
const sqlite_faults: readonly (readonly [prefix: string, code: string, hint?: string])[] = [
  ['SQLITE_FULL', 'database.full', `free some space on the disk that holds the file; ${recorded}`],
  [
    'SQLITE_IOERR',
    'database.disk',
    `check the disk that holds the file (space, dmesg); ${recorded}`,
  ],
  [
    'SQLITE_CORRUPT',
    'database.damaged',
    'move the file away and restore a backup; a ledger: `sluice restore FILE`, or `sluice rebuild`, which sends nothing again',
  ],
  [
    'SQLITE_NOTADB',
    'database.damaged',
    'this is not a database of Sluice: move the file away and restore a backup, or start without it',
  ],
  ['SQLITE_BUSY', 'database.locked', 'another process uses this file: stop it first'],
  [
    'SQLITE_READONLY',
    'database.unreadable',
    'the file cannot be written: check its owner and mode',
  ],
  [
    'SQLITE_CANTOPEN',
    'database.unreadable',
    'check that the folder exists and who may write there',
  ],
  ['SQLITE_PERM', 'database.unreadable', 'check the owner and the mode of the file'],
]
