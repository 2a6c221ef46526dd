import { translateSqliteError } from '../base/sqlite.ts'
import { type ServedCall, serveBatches, threadData } from '../base/thread.ts'
import type { LedgerLimits } from './ledger.ts'
import { LedgerStore } from './store.ts'

/*
 * The ledger's thread. Everything that has arrived goes into one transaction: sixteen callers share one fsync. A call that
 * fails is rolled back alone; when the commit fails, every call of the batch fails and nothing of it is recorded.
 */

export interface LedgerThreadData {
  ledger_file: string
  tickets_file: string
  limits: LedgerLimits
}

type Call = (store: LedgerStore, argument: never, now_ms: number) => unknown

const calls: Record<string, Call> = {
  record: (store, facts, now_ms) => store.record(facts, now_ms),
  folders: (store) => store.folders(),
  filesAt: (store, { folder, paths }: { folder: string; paths: string[] }) => store.filesAt(folder, paths),
  differences: (store, stretch) => store.differences(stretch),
  wasBeforeStart: (store, { folder, stat }) => store.wasBeforeStart(folder, stat),
  claimToLook: (store, { limit }: ClaimArgument, now_ms) => store.claims.look(limit, now_ms),
  claimToSend: (store, { limit, except }: ClaimArgument, now_ms) => store.claims.send(limit, except, now_ms),
  claimToFollow: (store, { limit, except }: ClaimArgument, now_ms) => store.claims.follow(limit, except, now_ms),
  claimToLabel: (store, { limit, except }: ClaimArgument, now_ms) => store.claims.label(limit, except, now_ms),
  release: (store, { work, contents }) => store.claims.release(work, contents),
  pending: (store, until_ms) => store.pending(until_ms),
  dueElsewhere: (store, { except, until_ms }: { except: string[]; until_ms: number }) =>
    store.dueElsewhere(except, until_ms),
  tidy: (store, _nothing, now_ms) => store.tidy(now_ms),
}

interface ClaimArgument {
  limit: number
  except: string[]
}

const data = threadData<LedgerThreadData>()
let store: LedgerStore | undefined

serveBatches((batch) => {
  const last = batch.at(-1)!
  if (last.method === 'open' || last.method === 'close') {
    runBatch(batch.slice(0, -1))
    lifecycle(last)
  } else runBatch(batch)
})

function lifecycle(call: ServedCall): void {
  try {
    if (call.method === 'open') {
      store = new LedgerStore({ ledger: data.ledger_file, tickets: data.tickets_file }, data.limits)
    } else {
      store?.close()
      store = undefined
    }
    call.resolve(undefined)
  } catch (error) {
    call.reject(error)
  }
}

function runBatch(batch: ServedCall[]): void {
  if (batch.length === 0) return
  const answers: (() => void)[] = []
  try {
    const open = opened()
    begin(open)
    for (const call of batch) answers.push(runCall(open, call))
    commit(open)
  } catch (error) {
    const fault = translateSqliteError(error, data.ledger_file)
    if (store) rollBack(store)
    for (const call of batch) call.reject(fault)
    return
  }
  for (const answer of answers) answer()
}

function opened(): LedgerStore {
  if (!store) throw new Error('the ledger is not open')
  return store
}

/** Answers only after the commit: what is answered is durable. */
function runCall(open: LedgerStore, call: ServedCall): () => void {
  const { argument, now_ms } = call.argument as { argument: never; now_ms: number }
  open.database.exec('SAVEPOINT one_call')
  try {
    const run = calls[call.method]
    if (!run) throw new Error(`no such method: ${call.method}`)
    const value = run(open, argument, now_ms)
    open.database.exec('RELEASE one_call')
    return () => call.resolve(value)
  } catch (error) {
    // SQLite ends the whole transaction by itself on some errors (disk full, I/O): then the batch fails as one.
    if (!open.database.inTransaction) throw error
    open.database.exec('ROLLBACK TO one_call; RELEASE one_call')
    open.recover()
    const fault = translateSqliteError(error, data.ledger_file)
    return () => call.reject(fault)
  }
}

function begin({ database, tickets }: LedgerStore): void {
  database.exec('BEGIN IMMEDIATE')
  tickets.database.exec('BEGIN IMMEDIATE')
}

/** Tickets first: a crash between the two leaves a ticket that the next claim finds, never a slot without its ticket. */
function commit({ database, tickets }: LedgerStore): void {
  tickets.database.exec('COMMIT')
  database.exec('COMMIT')
}

function rollBack({ database, tickets }: LedgerStore): void {
  if (tickets.database.inTransaction) tickets.database.exec('ROLLBACK')
  if (database.inTransaction) database.exec('ROLLBACK')
  store?.recover()
}
