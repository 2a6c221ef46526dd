import type Database from 'better-sqlite3'
import {
  sqliteDriver as realDriver,
  type SqliteDriver,
} from '../../../src/base/files/sqlite-driver.ts'
import { type Life, world } from '../world/world.ts'

/*
 * Replaces base/files/sqlite-driver by the real SQLite, whose writes to the state directory fail
 * while the disk does. A full disk and one with errors end the transaction, as SQLite does
 * (sqlite.org/lang_transaction.html, "Response To Errors Within A Transaction").
 */

export type { SqliteDriver } from '../../../src/base/files/sqlite-driver.ts'

interface Refusal {
  code: string
  message: string
  rolls_back: boolean
}

const refusals: Record<'full' | 'EIO' | 'busy', Refusal> = {
  full: { code: 'SQLITE_FULL', message: 'database or disk is full', rolls_back: true },
  EIO: { code: 'SQLITE_IOERR_FSYNC', message: 'disk I/O error', rolls_back: true },
  busy: { code: 'SQLITE_BUSY', message: 'database is locked', rolls_back: false },
}

let door: SqliteDriver | undefined

export function sqliteDriver(): SqliteDriver {
  door ??= doorTo(realDriver())
  return door
}

function doorTo(Driver: SqliteDriver): SqliteDriver {
  function open(file: string, options: Database.Options = {}): Database.Database {
    const is_state = file.includes('/state/') && !world.is_acting
    if (is_state) refuseOpen(Driver, file)
    // No call waits for a lock, because its holder runs on the same thread.
    const database = new Driver(file, { ...options, timeout: 0 })
    if (is_state) {
      holdFor(world.life, database)
      if (!options.readonly) watchWrites(Driver, database)
    }
    return database
  }
  return new Proxy(Driver, { construct: (_, given: [string, Database.Options?]) => open(...given) })
}

function refuseOpen(Driver: SqliteDriver, file: string): void {
  if (world.inForce('descriptors').length === 0) return
  throw new Driver.SqliteError(`unable to open database file ${file}`, 'SQLITE_CANTOPEN')
}

/** Closes the database in the middle of any work: SQLite rolls back what was not committed. */
function holdFor(life: Life | undefined, database: Database.Database): void {
  if (!life) return
  const close = database.close.bind(database)
  life.held.add(close)
  database.close = () => {
    life.held.delete(close)
    return close()
  }
}

const ends_or_writes = /^\s*(BEGIN|COMMIT|INSERT|UPDATE|DELETE|REPLACE|WITH|CREATE|ALTER|DROP)/i

function watchWrites(Driver: SqliteDriver, database: Database.Database): void {
  const rollback = database.prepare('ROLLBACK')
  const refuse = (sql: string) => {
    const fault = world.inForce('disk')[0]
    if (!fault || !ends_or_writes.test(sql)) return
    const { code, message, rolls_back } = refusals[fault.how]
    // Writes go to memory first: a broken disk fails at the commit, a lock at the beginning.
    if (fault.how === 'EIO' && !/^\s*COMMIT/i.test(sql)) return
    if (fault.how === 'busy' && !/^\s*BEGIN/i.test(sql)) return
    if (fault.how === 'full' && /^\s*BEGIN/i.test(sql)) return
    if (rolls_back && database.inTransaction) rollback.run()
    world.note(`disk: ${code} at ${sql.trim().slice(0, 40)}`)
    throw new Driver.SqliteError(message, code)
  }
  const prepare = database.prepare.bind(database) as (sql: string) => Database.Statement
  const exec = database.exec.bind(database)
  database.prepare = ((sql: string) => {
    const statement = prepare(sql)
    if (statement.readonly && !ends_or_writes.test(sql)) return statement
    for (const name of ['run', 'get', 'all'] as const) {
      const original = statement[name].bind(statement) as (...args: unknown[]) => unknown
      Object.assign(statement, {
        [name]: (...args: unknown[]) => {
          refuse(sql)
          return original(...args)
        },
      })
    }
    return statement
  }) as typeof database.prepare
  database.exec = (sql: string) => {
    refuse(sql)
    return exec(sql)
  }
}
