import { type Migration, openSqliteReadOnly, type Sqlite, translateSqliteError } from '../../base/files/sqlite.ts'
import { serveCalls } from '../../base/run/thread.ts'
import { type BrokenRule, brokenRules, rule_steps } from '../../ledger/file/ledger-rules.ts'

export interface LedgerThreadData {
  file: string
  /** Another format is refused: `database.newer`, `database.older`. */
  migrations: readonly Migration[]
}

export interface LedgerTables {
  tables: string[]
  /** How often `broken` can be called. */
  steps: number
}

/**
 * A table or a rule a call, so that the caller can stop between them, and no reader holds the log
 * of a daemon at work for long.
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
      const names = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).pluck().all()
      return { tables: names as string[], steps: rule_steps }
    },
    /** What SQLite finds damaged in a table and its indexes; no line where that is nothing. */
    check(table: string): string[] {
      return reading((open) => {
        const lines = open.prepare(`SELECT quick_check AS line FROM pragma_quick_check(?)`).pluck().all(table)
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
