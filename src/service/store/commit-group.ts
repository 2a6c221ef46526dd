import { closeSync, fdatasync, openSync } from 'node:fs'
import { type Sqlite, translateSqliteError } from '../../base/files/sqlite.ts'
import { codeOf } from '../../base/run/errors.ts'
import { type Clock, system_clock } from '../../base/time/time.ts'

interface Waiting {
  work: () => unknown
  flushed: boolean
  /** Since when another process has locked the database; undefined while none has. */
  locked_since_ms?: number
  resolve: (value: never) => void
  reject: (error: unknown) => void
  outcome?: { value: unknown } | { error: unknown }
}

/**
 * Another process, such as `sluice serve token`, holds the lock for moments. Who holds it longer
 * does not hold up our callers.
 */
const max_lock_wait_ms = 1_000
const lock_retry_ms = 20

/**
 * Many requests, one commit, one flush: what was asked for in one turn of the event loop goes into one transaction, and an answer
 * is sent only when its commit is on the disk.
 *
 * The database runs with synchronous=NORMAL, which writes a commit to the log but does not flush it; this flushes the log itself,
 * in the thread pool, as synchronous=FULL would do while the event loop stood still (sqlite.org/pragma.html#pragma_synchronous:
 * in WAL mode FULL is NORMAL and a sync of the log after each transaction). One flush covers every commit before it, so that those
 * which come while it runs share the next.
 *
 * SQLite itself never waits for a lock here: its wait would hold up the event loop, and with it
 * every read. A work that meets a lock is tried again for `max_lock_wait_ms`, then rejected with
 * `database.locked`.
 */
export function groupCommits(database: Sqlite, file: string, clock: Clock = system_clock) {
  database.pragma('busy_timeout = 0')
  const log = openLog(`${file}-wal`)
  let waiting: Waiting[] = []
  let committed: Waiting[] = []
  let flushing: Promise<void> | undefined

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
      const has_begun = batch.some(({ outcome }) => outcome !== undefined)
      if (codeOf(error) === 'SQLITE_BUSY' && !has_begun) retry(batch, translateSqliteError(error, file))
      else rejectAll(batch, codeOf(error) === undefined ? error : translateSqliteError(error, file))
      return
    }
    for (const item of batch) {
      if (item.flushed) committed.push(item)
      else settle(item)
    }
    if (committed.length === 0) return
    flushing ??= flush().finally(() => {
      flushing = undefined
    })
  }

  function retry(batch: readonly Waiting[], error: unknown): void {
    const now_ms = clock.monotonic_ms()
    for (const item of batch) {
      item.locked_since_ms ??= now_ms
      if (now_ms - item.locked_since_ms < max_lock_wait_ms) waiting.push(item)
      else item.reject(error)
    }
    if (waiting.length > 0) void clock.sleep(lock_retry_ms).then(commit)
  }

  async function flush(): Promise<void> {
    while (committed.length > 0) {
      const batch = committed
      committed = []
      try {
        await log.flush()
      } catch (error) {
        rejectAll(batch, error)
        continue
      }
      for (const item of batch) settle(item)
    }
  }

  function enqueue<Result>(work: () => Result, flushed: boolean): Promise<Result> {
    return new Promise((resolve, reject) => {
      if (waiting.length === 0) setImmediate(commit)
      waiting.push({ work, flushed, resolve, reject })
    })
  }

  return {
    /** Runs `work` in the next transaction; what it throws undoes its own changes only. Resolves once the commit is flushed. */
    write: <Result>(work: () => Result) => enqueue(work, true),
    /**
     * The same without waiting for the flush: it survives a kill, but a power cut may take it back. For what a later `write` relies
     * on and covers (a slot, its bytes), and for what is done again when it is lost (reading a file).
     */
    writeUnflushed: <Result>(work: () => Result) => enqueue(work, false),
    /** Call when nothing is written any more, before the database is closed. */
    async close(): Promise<void> {
      await flushing
      log.close()
    },
  }
}

function settle({ outcome, resolve, reject }: Waiting): void {
  if (outcome && 'value' in outcome) resolve(outcome.value as never)
  else reject(outcome?.error)
}

function rejectAll(batch: readonly Waiting[], error: unknown): void {
  for (const item of batch) item.reject(error)
}

/**
 * SQLite's log file, opened beside it for flushing only. SQLite takes no locks on this file (they are on the database and its
 * -shm), so that closing our descriptor releases none of them; and it keeps the file until the last connection closes.
 */
function openLog(path: string): { flush(): Promise<void>; close(): void } {
  let descriptor: number | undefined
  return {
    flush() {
      // Made by the first write, so that it is there once something was committed.
      descriptor ??= openSync(path, 'r+')
      const opened = descriptor
      return new Promise((resolve, reject) => {
        fdatasync(opened, (error) => (error ? reject(error) : resolve()))
      })
    },
    close() {
      if (descriptor !== undefined) closeSync(descriptor)
      descriptor = undefined
    },
  }
}
