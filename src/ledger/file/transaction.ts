import type { Sqlite } from '../../base/files/sqlite.ts'

/**
 * One file's part in a batch of calls: a transaction that begins with the first write, and a
 * savepoint around each call. Statements are prepared once: at thousands of calls a second, parsing
 * "SAVEPOINT" costs more than the savepoint.
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

  /**
   * Undoes the call's writes. False if SQLite ended the whole transaction by itself (disk full, I/O
   * error): then the whole batch fails.
   */
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

export type Transaction = ReturnType<typeof createTransaction>
