import { openSqliteReadOnly, type Sqlite, translateSqliteError } from '../../base/sqlite.ts'
import { serveCalls, threadData } from '../../base/thread.ts'
import { ledger_version } from '../../ledger/migrations.ts'

export interface LedgerThreadData {
  file: string
}

const { file } = threadData<LedgerThreadData>()
let database: Sqlite | undefined

/** A table a call, so that whoever asks can stop between them, and no reader holds the log of a daemon at work for long. */
serveCalls({
  tables(): { version: number; tables: string[] } {
    database = openSqliteReadOnly(file, ledger_version)
    const version = database.pragma('user_version', { simple: true }) as number
    const names = database.prepare(`SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name`).pluck().all()
    return { version, tables: names as string[] }
  },
  check(table: string): string[] {
    try {
      const lines = database?.prepare(`SELECT quick_check AS line FROM pragma_quick_check(?)`).pluck().all(table)
      return (lines as string[]).filter((line) => line !== 'ok').slice(0, 3)
    } catch (error) {
      throw translateSqliteError(error, file)
    }
  },
  close(): void {
    database?.close()
  },
})
