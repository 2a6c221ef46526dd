import { translateSqliteError } from '../base/files/sqlite.ts'
import { messageOf, SluiceError } from '../base/run/errors.ts'
import { type ServedCall, serveBatches } from '../base/run/thread.ts'
import type { DeliveryKey } from '../domain/delivery.ts'
import type { Fact } from '../domain/fact.ts'
import type { FileStat } from '../domain/file.ts'
import type { ContentChoice } from './claims/claims.ts'
import { createPageCache, type PageCache } from './file/page-cache.ts'
import type { LargeLimit, LedgerLimits, LookChoice, LookWork, Stretch } from './ledger.ts'
import type { ArrivalQuery, UnreadyQuery } from './prompt-work.ts'
import type { UnauditedQuery } from './rows/audit-rows.ts'
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

type Call = (store: LedgerStore, argument: never, now_ms: number, page_cache: PageCache) => unknown

/** Calls without a transaction of their own. They see what earlier calls of the batch wrote. */
const reads = {
  folders: (store) => store.folders(),
  folder: (store, name: string) => store.folder(name),
  filesAt: (store, { folder, paths }: { folder: string; paths: readonly string[] }) => store.filesAt(folder, paths),
  differences: (store, stretch: Stretch) => store.differences(stretch),
  wasBeforeStart: (store, { folder, stat }: { folder: string; stat: FileStat }) => store.wasBeforeStart(folder, stat),
  prompts: (store) => store.runs.prompts.states(),
  audits: (store) => store.audits.states(),
  unaudited: (store, query: UnauditedQuery) => store.audits.unaudited(query),
  arrivals: (store, query: ArrivalQuery) => store.arrivals(query),
  unready: (store, query: UnreadyQuery) => store.unready(query),
  pending: (store, until_ms: number, now_ms) => store.pending(until_ms, now_ms),
  dueElsewhere: (store, { except, until_ms }: { except: readonly string[]; until_ms: number }) =>
    store.dueElsewhere(except, until_ms),
  setLimits: (store, limits: LedgerLimits) => store.setLimits(limits),
} satisfies Record<string, Call>

const writes = {
  record: (store, facts: readonly Fact[], now_ms, page_cache) => store.record(page_cache.following(facts), now_ms),
  claimToLook: (store, { limit, choice, in_flight }: LookArgument, now_ms) =>
    store.claims.look(limit, choice, in_flight, now_ms),
  claimToSend: (store, { limit, ...choice }: SendArgument, now_ms) => store.claims.send(limit, choice, now_ms),
  claimToFollow: (store, { limit, ...choice }: ClaimArgument, now_ms) => store.claims.follow(limit, choice, now_ms),
  claimToLabel: (store, { limit, ...choice }: ClaimArgument, now_ms) => store.claims.label(limit, choice, now_ms),
  claimToRemove: (store, { limit, ...choice }: ClaimArgument, now_ms) =>
    store.removal_claims.claim(limit, choice, now_ms),
  claimRuns: (store, { limit, ...choice }: ClaimArgument, now_ms) => store.run_claims.claimRuns(limit, choice, now_ms),
  claimDeliveries: (store, { limit, ...choice }: DeliveryArgument, now_ms) =>
    store.run_claims.claimDeliveries(limit, choice, now_ms),
  tidy: (store, _nothing: undefined, now_ms) => store.tidy(now_ms),
} satisfies Record<string, Call>

const calls: Record<string, Call> = { ...reads, ...writes }

/** Calls that the thread serves once the ledger is open. open-ledger.ts makes them. */
export type LedgerCalls = typeof reads & typeof writes

interface LookArgument {
  limit: number
  choice: LookChoice | undefined
  in_flight: LookWork[]
}

interface ClaimArgument extends ContentChoice {
  limit: number
}

interface SendArgument extends ClaimArgument {
  large?: LargeLimit | undefined
  is_probe?: boolean | undefined
}

interface DeliveryArgument {
  limit: number
  only_alerts: boolean
  in_flight: DeliveryKey[]
}

/** The ledger of the thread. `open` is set between the calls `open` and `close`. */
interface Served {
  readonly data: LedgerThreadData
  open: { store: LedgerStore; page_cache: PageCache } | undefined
}

serveBatches((data: LedgerThreadData) => {
  const served: Served = { data, open: undefined }
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
      const store = createLedgerStore({ ledger: data.ledger_file, tickets: data.tickets_file }, data.limits)
      served.open = { store, page_cache: createPageCache(store.database) }
    } else {
      served.open?.store.close()
      served.open = undefined
    }
    call.resolve(undefined)
  } catch (error) {
    call.reject(translateSqliteError(error, data.ledger_file))
  }
}

function runBatch(served: Served, batch: ServedCall[]): void {
  if (batch.length === 0) return
  const answers: (() => void)[] = []
  try {
    const open = opened(served)
    for (const call of batch) answers.push(runCall(served, call))
    commit(open)
  } catch (error) {
    const fault = translateSqliteError(error, served.data.ledger_file)
    if (served.open) rollBack(served.open.store)
    for (const call of batch) call.reject(fault)
    return
  }
  if (batch.some((call) => call.method === 'tidy')) cutTicketLog(served)
  for (const answer of answers) answer()
}

function opened({ open }: Served): LedgerStore {
  if (!open) throw new SluiceError({ code: 'ledger.closed', message: 'the ledger is closed' })
  return open.store
}

/** Runs a call. The returned function answers it after the commit, when its result is durable. */
function runCall(served: Served, call: ServedCall): () => void {
  const { argument, now_ms } = call.argument as { argument: never; now_ms: number }
  const { store: open, page_cache } = served.open!
  try {
    const run = calls[call.method]
    if (!run) throw new Error(`no such method: ${call.method}`)
    if (call.method in writes) {
      open.transaction.enter()
      open.wall_clock.passes(now_ms)
    }
    const value = run(open, argument, now_ms, page_cache)
    open.transaction.keepCall()
    open.tickets.transaction.keepCall()
    return () => call.resolve(value)
  } catch (error) {
    const both_stand = [open.transaction.undoCall(), open.tickets.transaction.undoCall()]
    if (both_stand.includes(false)) throw error
    open.recover()
    const fault = translateSqliteError(error, served.data.ledger_file)
    return () => call.reject(fault)
  }
}

/**
 * Commits tickets first. A crash in between leaves a ticket that the next claim finds, but never a
 * slot without its ticket.
 */
function commit(open: LedgerStore): void {
  open.tickets.transaction.commit()
  open.transaction.commit()
}

function rollBack(open: LedgerStore): void {
  open.tickets.transaction.rollBack()
  open.transaction.rollBack()
  open.recover()
}

/** Failure here loses no recorded fact. The next `tidy` tries again, and so does `close`. */
function cutTicketLog({ open }: Served): void {
  try {
    open?.store.tickets.checkpoint()
  } catch (error) {
    process.emitWarning(`the log of the tickets could not be cut: ${messageOf(error)}`)
  }
}
