import { closeSync, fdatasync, openSync } from 'node:fs'
import { type Sqlite, translateSqliteError } from '../../base/files/sqlite.ts'
import { codeOf } from '../../base/run/errors.ts'
import { type Clock, system_clock } from '../../base/time/time.ts'

interface Waiting {
  work: () => unknown
  flushed: boolean
  /** Monotonic time when this work first met a lock of another process; undefined: none met. */
  locked_since_ms?: number
  resolve: (value: never) => void
  reject: (error: unknown) => void
  outcome?: { value: unknown } | { error: unknown }
}

/** Another process, such as `sluice serve token`, locks the database only for moments. */
const max_lock_wait_ms = 1_000
const lock_retry_ms = 20

/**
 * Groups the work of many requests into one commit and one flush. All work of one turn of the event
 * loop goes into one transaction. `write` resolves only when its commit is on the disk.
 *
 * The database runs with synchronous=NORMAL, which writes a commit to the log without a flush. This
 * code flushes the log in the thread pool; synchronous=FULL would do the same while the event loop
 * waits (sqlite.org/pragma.html#pragma_synchronous: in WAL mode, FULL is NORMAL and a sync of the
 * log after each transaction). One flush covers every earlier commit. Commits that come during a
 * flush share the next one.
 *
 * SQLite itself never waits for a lock here, because its wait would stop the event loop and every
 * read. Work that meets a lock is retried for `max_lock_wait_ms`, then rejected with
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
        // A full or broken disk has ended the whole transaction, so the error goes to all of them.
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
      if (codeOf(error) === 'SQLITE_BUSY' && !has_begun)
        retry(batch, translateSqliteError(error, file))
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
    /**
     * Runs `work` in the next transaction. If it throws, only its own changes are undone. Resolves
     * after the flush of the commit.
     */
    write: <Result>(work: () => Result) => enqueue(work, true),
    /**
     * Like `write`, but without the wait for the flush: the commit survives a kill, but not always
     * a power cut. It is for data that a later `write` covers (a slot, its bytes), and for work
     * that can be repeated (reading a file).
     */
    writeUnflushed: <Result>(work: () => Result) => enqueue(work, false),
    /** Call it after the last write and before the database is closed. */
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
 * Opens SQLite's log file for flushing only. SQLite has its locks on the database and its -shm, so
 * closing this descriptor releases none of them. SQLite keeps the file until its last connection
 * closes.
 */
function openLog(path: string): { flush(): Promise<void>; close(): void } {
  let descriptor: number | undefined
  return {
    flush() {
      // The first write makes the file, so it exists after a commit.
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
