import {
  type Migration,
  openSqliteReadOnly,
  type Sqlite,
  translateSqliteError,
} from '../../base/files/sqlite.ts'
import { serveCalls } from '../../base/run/thread.ts'
import { type BrokenRule, brokenRules, rule_steps } from './ledger-rules.ts'

export interface LedgerThreadData {
  file: string
  /** Migrations of the expected format. Errors for others: `database.newer`, `database.older`. */
  migrations: readonly Migration[]
}

export interface LedgerTables {
  tables: string[]
  /** Number of steps that `broken` accepts. */
  steps: number
}

/**
 * Each call reads one table or checks one rule. So the caller can stop between calls, and no long
 * reader keeps the log of a running daemon.
 */
serveCalls(({ file, migrations }: LedgerThreadData) => {
  let database: Sqlite | undefined

  function reading<Answer>(read: (database: Sqlite) => Answer): Answer {
    try {
      return read(database!)
    } catch (error) {
      throw translateSqliteError(error, file)
    }
  }

  return {
    tables(): LedgerTables {
      database = openSqliteReadOnly(file, migrations)
      const names = database
        .prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`)
        .pluck()
        .all()
      return { tables: names as string[], steps: rule_steps }
    },
    /** Lines of damage that SQLite finds in a table and its indexes. */
    check(table: string): string[] {
      return reading((open) => {
        const lines = open
          .prepare(`SELECT quick_check AS line FROM pragma_quick_check(?)`)
          .pluck()
          .all(table)
        return (lines as string[]).filter((line) => line !== 'ok').slice(0, 3)
      })
    },
    broken(step: number): BrokenRule[] {
      return reading((open) => brokenRules(open, step))
    },
    close(): void {
      database?.close()
    },
  }
})
