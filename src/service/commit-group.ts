import { codeOf } from '../base/errors.ts'
import { type Sqlite, translateSqliteError } from '../base/sqlite.ts'

/**
 * Many requests, one commit: everything that was asked for in one turn of the event loop goes into one transaction, so that a
 * durable commit (a disk flush) is paid once for all of them. An answer is only sent when its commit stands.
 */
export interface CommitGroup {
  /** Runs `work` in the next transaction; what it throws undoes its own changes only. */
  write<Result>(work: () => Result): Promise<Result>
}

interface Waiting {
  work: () => unknown
  resolve: (value: never) => void
  reject: (error: unknown) => void
  outcome?: { value: unknown } | { error: unknown }
}

export function groupCommits(database: Sqlite, file: string): CommitGroup {
  let waiting: Waiting[] = []
  const runOne = database.transaction((work: () => unknown) => work())
  const runAll = database.transaction((batch: Waiting[]) => {
    for (const item of batch) {
      try {
        item.outcome = { value: runOne(item.work) }
      } catch (error) {
        // A full or broken disk is everybody's fault, and has ended the whole transaction.
        if (!database.inTransaction) throw error
        item.outcome = { error: translateSqliteError(error, file) }
      }
    }
  })

  function commit(): void {
    const batch = waiting
    waiting = []
    try {
      runAll.immediate(batch)
    } catch (error) {
      const fault = codeOf(error) === undefined ? error : translateSqliteError(error, file)
      for (const item of batch) item.reject(fault)
      return
    }
    for (const { outcome, resolve, reject } of batch) {
      if (outcome && 'value' in outcome) resolve(outcome.value as never)
      else reject(outcome?.error)
    }
  }

  return {
    write(work) {
      return new Promise((resolve, reject) => {
        if (waiting.length === 0) setImmediate(commit)
        waiting.push({ work, resolve, reject })
      })
    },
  }
}
