import { openSqliteReadOnly, type Sqlite, translateSqliteError } from '../base/sqlite.ts'
import { serveCalls } from '../base/thread.ts'
import { type BrokenRule, brokenRules, ruleSteps } from '../ledger/ledger-rules.ts'

export interface LedgerThreadData {
  file: string
  /** A newer file is refused: `database.newer`. */
  newest_version: number
}

export interface LedgerTables {
  version: number
  tables: string[]
  /** How often `broken` can be called. */
  steps: number
}

/**
 * A table or a rule a call, so that the caller can stop between them, and no reader holds the log
 * of a daemon at work for long.
 */
serveCalls(({ file, newest_version }: LedgerThreadData) => {
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
      database = openSqliteReadOnly(file, newest_version)
      const version = database.pragma('user_version', { simple: true }) as number
      const names = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).pluck().all()
      return { version, tables: names as string[], steps: ruleSteps(database) }
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
