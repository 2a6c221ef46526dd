import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { openSqlite, preparingOnce, type Sqlite } from '../../base/files/sqlite.ts'
import { messageOf } from '../../base/run/errors.ts'
import type { IdKind } from '../../contract/identifiers.ts'
import { refused } from '../faults/faults.ts'
import { service_migrations } from './schema.ts'

export type DataPaths = ReturnType<typeof dataPaths>

/** The absolute paths in the data folder. */
export function dataPaths(data_dir: string) {
  // The processes that read documents have another working directory.
  const folder = resolve(data_dir)
  return {
    folder,
    database: join(folder, 'service.db'),
    passages: join(folder, 'passages.db'),
    lock: join(folder, 'service.lock'),
    signing_key: join(folder, 'signing.key'),
    /** Objects that are too large for the database; also uploads in progress, without a row. */
    objects: join(folder, 'objects'),
    /** The home of a program that reads one file, removed after it. */
    programs: join(folder, 'programs'),
  }
}

/** Makes the folders with mode 0700. Error `config.service` if that fails. */
export function makeDataFolders(paths: DataPaths): void {
  try {
    if (!existsSync(paths.folder)) mkdirSync(paths.folder, { recursive: true, mode: 0o700 })
    mkdirSync(paths.objects, { recursive: true, mode: 0o700 })
  } catch (error) {
    throw refused(
      `the data folder ${paths.folder} cannot be created: ${messageOf(error)}`,
      'name a folder that you may write to',
      error,
    )
  }
}

/**
 * SQLite writes its log back to the database after this many pages (16 MB; SQLite's default is
 * 4 MB). Most commits write the same pages, which are then copied a quarter as often. The pause
 * stays short.
 */
const checkpoint_pages = 4_000

/** NORMAL is enough, because `write` of commit-group.ts flushes the log before it resolves. */
export function openServiceDatabase(paths: DataPaths): Sqlite {
  const database = preparingOnce(
    openSqlite({ file: paths.database, migrations: service_migrations, synchronous: 'NORMAL' }),
  )
  database.pragma(`wal_autocheckpoint = ${checkpoint_pages}`)
  return database
}

/** Queries by the text of a statement. `openServiceDatabase` prepares each text only once. */
export function statementsOf(database: Sqlite) {
  // A mode that is set on a statement stays set, and other code may use the same text.
  const rows = (sql: string) => database.prepare(sql).pluck(false)
  const column = (sql: string) => database.prepare(sql).pluck()
  return {
    one: <Row>(sql: string, ...values: unknown[]) => rows(sql).get(...values) as Row | undefined,
    all: <Row>(sql: string, ...values: unknown[]) => rows(sql).all(...values) as Row[],
    /** The first column of one row. */
    value: <Value>(sql: string, ...values: unknown[]) =>
      column(sql).get(...values) as Value | undefined,
    values: <Value>(sql: string, ...values: unknown[]) => column(sql).all(...values) as Value[],
    run: (sql: string, ...values: unknown[]) => database.prepare(sql).run(...values),
  }
}

const alphabet = '0123456789abcdefghijklmnopqrstuvwxyz'
const time_digits = 9
const random_digits = 11

/**
 * Makes a new id. Ids sort by creation time to the millisecond, as those of the hosted service do;
 * 56 random bits keep them unique.
 */
export function makeId(kind: IdKind, now_ms: number): string {
  let tail = now_ms.toString(36).padStart(time_digits, '0')
  for (const byte of randomBytes(random_digits)) tail += alphabet[byte % alphabet.length]
  return `${kind}_${tail}`
}
