import { translateSqliteError } from '../base/files/sqlite.ts'
import { messageOf, SluiceError } from '../base/run/errors.ts'
import { type ServedCall, serveBatches } from '../base/run/thread.ts'
import type { Fact } from '../domain/fact.ts'
import type { FileStat } from '../domain/file.ts'
import type { Refusal } from '../domain/file-type.ts'
import type { UnauditedQuery } from './audit-work.ts'
import type { ClaimQuery } from './claims/claim-queries.ts'
import type { CheckQuery, SendQuery } from './claims/claims.ts'
import type { DeliveryQuery } from './claims/run-claims.ts'
import type { LedgerLimits, PathRange } from './ledger.ts'
import type { ArrivalQuery, ChangesQuery, UnreadyQuery } from './prompt-work.ts'
import { createLedgerStore, type LedgerStore } from './store.ts'

/*
 * The ledger's thread. All calls that have arrived share one transaction: sixteen callers need one
 * fsync. If one call fails, only that call is rolled back. If the commit fails, every call of the
 * batch fails and nothing of it is recorded.
 */

export interface LedgerThreadData {
  ledger_file: string
  tickets_file: string
  limits: LedgerLimits
}

type Call = (store: LedgerStore, argument: never, now_ms: number) => unknown

/** Calls that begin no transaction. They see what earlier calls of the batch wrote. */
const reads = {
  folders: (store) => store.folders(),
  folder: (store, name: string) => store.folder(name),
  filesAt: (store, { folder, paths }: { folder: string; paths: readonly string[] }) =>
    store.filesAt(folder, paths),
  differences: (store, range: PathRange, now_ms) => store.differences(range, now_ms),
  wasBeforeStart: (store, { folder, stat }: { folder: string; stat: FileStat }) =>
    store.wasBeforeStart(folder, stat),
  prompts: (store) => store.runs.prompts.states(),
  audits: (store) => store.audits.states(),
  unaudited: (store, query: UnauditedQuery) => store.audits.unaudited(query),
  arrivals: (store, query: ArrivalQuery) => store.arrivals(query),
  unready: (store, query: UnreadyQuery) => store.unready(query),
  changes: (store, query: ChangesQuery) => store.changes(query),
  pending: (store, until_ms: number, now_ms) => store.pending(until_ms, now_ms),
  dueElsewhere: (store, { except, until_ms }: { except: readonly string[]; until_ms: number }) =>
    store.dueElsewhere(except, until_ms),
  alikeRefusals: (store, { content, refusal }: { content: number; refusal: Refusal }, now_ms) =>
    store.alikeRefusals(content, refusal, now_ms),
  setLimits: (store, limits: LedgerLimits) => store.setLimits(limits),
} satisfies Record<string, Call>

const writes = {
  record: (store, facts: readonly Fact[], now_ms) => store.record(facts, now_ms),
  claimToCheck: (store, query: CheckQuery, now_ms) => store.claims.check(query, now_ms),
  claimToSend: (store, query: SendQuery, now_ms) => store.claims.send(query, now_ms),
  claimToFollow: (store, query: ClaimQuery, now_ms) => store.claims.follow(query, now_ms),
  claimToLabel: (store, query: ClaimQuery, now_ms) => store.claims.label(query, now_ms),
  claimToName: (store, query: ClaimQuery, now_ms) => store.name_claims.claim(query, now_ms),
  claimToRemove: (store, query: ClaimQuery, now_ms) => store.removal_claims.claim(query, now_ms),
  claimRuns: (store, query: ClaimQuery, now_ms) => store.run_claims.claimRuns(query, now_ms),
  claimDeliveries: (store, query: DeliveryQuery, now_ms) =>
    store.run_claims.claimDeliveries(query, now_ms),
  tidy: (store, _nothing: undefined, now_ms) => store.tidy(now_ms),
} satisfies Record<string, Call>

const calls: Record<string, Call> = { ...reads, ...writes }

/** Calls that the thread serves once the ledger is open. open-ledger.ts makes them. */
export type LedgerCalls = typeof reads & typeof writes

/** The ledger of the thread. `store` is set between the calls `open` and `close`. */
interface Served {
  readonly data: LedgerThreadData
  store: LedgerStore | undefined
}

serveBatches((data: LedgerThreadData) => {
  const served: Served = { data, store: undefined }
  return (batch) => serve(served, batch)
})

function serve(served: Served, batch: ServedCall[]): void {
  let gathered: ServedCall[] = []
  for (const call of batch) {
    if (call.method !== 'open' && call.method !== 'close') gathered.push(call)
    else {
      runBatch(served, gathered)
      gathered = []
      lifecycle(served, call)
    }
  }
  runBatch(served, gathered)
}

function lifecycle(served: Served, call: ServedCall): void {
  const { data } = served
  try {
    if (call.method === 'open') {
      served.store = createLedgerStore(
        { ledger: data.ledger_file, tickets: data.tickets_file },
        data.limits,
      )
    } else {
      served.store?.close()
      served.store = undefined
    }
    call.resolve(undefined)
  } catch (error) {
    call.reject(translateSqliteError(error, data.ledger_file))
  }
}

function runBatch({ data, store }: Served, batch: ServedCall[]): void {
  const answers: (() => void)[] = []
  try {
    if (!store) throw new SluiceError({ code: 'ledger.closed', message: 'the ledger is closed' })
    for (const call of batch) answers.push(runCall(store, call, data))
    commit(store)
  } catch (error) {
    const fault = translateSqliteError(error, data.ledger_file)
    if (store) rollBack(store)
    for (const call of batch) call.reject(fault)
    return
  }
  if (batch.some((call) => call.method === 'tidy')) cutTicketLog(store)
  for (const answer of answers) answer()
}

/** Runs a call. The returned function answers it after the commit, when its result is durable. */
function runCall(
  store: LedgerStore,
  call: ServedCall,
  { ledger_file }: LedgerThreadData,
): () => void {
  const { argument, now_ms } = call.argument as { argument: never; now_ms: number }
  try {
    const run = calls[call.method]
    if (!run) throw new Error(`no such method: ${call.method}`)
    if (call.method in writes) {
      store.transaction.enter()
      store.wall_clock.passes(now_ms)
    }
    const value = run(store, argument, now_ms)
    store.transaction.keepCall()
    store.tickets.transaction.keepCall()
    return () => call.resolve(value)
  } catch (error) {
    const both_stand = [store.transaction.undoCall(), store.tickets.transaction.undoCall()]
    if (both_stand.includes(false)) throw error
    store.recover()
    const fault = translateSqliteError(error, ledger_file)
    return () => call.reject(fault)
  }
}

/**
 * Commits tickets first. A crash in between can leave a ticket whose slot is not recorded, which
 * does no harm, but never a new slot without its ticket.
 */
function commit(store: LedgerStore): void {
  store.tickets.transaction.commit()
  store.transaction.commit()
}

function rollBack(store: LedgerStore): void {
  store.tickets.transaction.rollBack()
  store.transaction.rollBack()
  store.recover()
}

/** Failure here loses no recorded fact. The next `tidy` tries again, and so does `close`. */
function cutTicketLog(store: LedgerStore): void {
  try {
    store.tickets.checkpoint()
  } catch (error) {
    process.emitWarning(`the log of the tickets could not be cut: ${messageOf(error)}`)
  }
}
