import { messageOf, SluiceError } from '../base/errors.ts'
import { translateSqliteError } from '../base/sqlite.ts'
import { type ServedCall, serveBatches, threadData } from '../base/thread.ts'
import type { Fact } from '../domain/fact.ts'
import { type PackedFact, unpackFacts } from './fact-wire.ts'
import type { LargeLimit, LedgerLimits, LookChoice } from './ledger.ts'
import { PageCache } from './page-cache.ts'
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
  record: (store, packed: PackedFact[], now_ms) => store.record(followed(unpackFacts(packed)), now_ms),
  folders: (store) => store.folders(),
  filesAt: (store, { folder, paths }: { folder: string; paths: string[] }) => store.filesAt(folder, paths),
  differences: (store, stretch) => store.differences(stretch),
  wasBeforeStart: (store, { folder, stat }) => store.wasBeforeStart(folder, stat),
  claimToLook: (store, { limit, choice }: LookArgument, now_ms) => store.claims.look(limit, choice, now_ms),
  claimToSend: (store, { limit, except, large }: ClaimArgument, now_ms) =>
    store.claims.send(limit, { except, large }, now_ms),
  claimToFollow: (store, { limit, except }: ClaimArgument, now_ms) => store.claims.follow(limit, except, now_ms),
  claimToLabel: (store, { limit, except }: ClaimArgument, now_ms) => store.claims.label(limit, except, now_ms),
  claimToRemove: (store, { limit, except }: ClaimArgument, now_ms) => store.removal_claims.claim(limit, except, now_ms),
  claimRuns: (store, { limit, except }: ClaimArgument, now_ms) => store.run_claims.claimRuns(limit, except, now_ms),
  claimDeliveries: (store, { limit }: ClaimArgument, now_ms) => store.run_claims.claimDeliveries(limit, now_ms),
  prompts: (store) => store.runs.prompts.states(),
  audits: (store) => store.audits.states(),
  unaudited: (store, query) => store.audits.unaudited(query),
  arrivals: (store, query) => store.arrivals(query),
  unready: (store, query) => store.unready(query),
  release: (store, { work, items }) => store.release(work, items),
  pending: (store, until_ms, now_ms) => store.pending(until_ms, now_ms),
  dueElsewhere: (store, { except, until_ms }: { except: string[]; until_ms: number }) =>
    store.dueElsewhere(except, until_ms),
  setLimits: (store, limits) => store.setLimits(limits),
  tidy: (store, _nothing, now_ms) => store.tidy(now_ms),
}

/** These need no transaction of their own; after a write in the same batch they see what it wrote. */
const reads_only: ReadonlySet<string> = new Set([
  'folders',
  'filesAt',
  'differences',
  'wasBeforeStart',
  'prompts',
  'audits',
  'unaudited',
  'arrivals',
  'unready',
  'release',
  'pending',
  'dueElsewhere',
  'setLimits',
])

interface LookArgument {
  limit: number
  choice: LookChoice | undefined
}

interface ClaimArgument {
  limit: number
  except: string[]
  large: LargeLimit | undefined
}

const data = threadData<LedgerThreadData>()
let store: LedgerStore | undefined
let page_cache: PageCache | undefined

serveBatches((batch) => {
  let gathered: ServedCall[] = []
  for (const call of batch) {
    if (call.method !== 'open' && call.method !== 'close') gathered.push(call)
    else {
      runBatch(gathered)
      gathered = []
      lifecycle(call)
    }
  }
  runBatch(gathered)
})

function lifecycle(call: ServedCall): void {
  try {
    if (call.method === 'open') {
      store = new LedgerStore({ ledger: data.ledger_file, tickets: data.tickets_file }, data.limits)
      page_cache = new PageCache(store.database)
    } else {
      store?.close()
      store = undefined
      page_cache = undefined
    }
    call.resolve(undefined)
  } catch (error) {
    call.reject(translateSqliteError(error, data.ledger_file))
  }
}

function followed(facts: Iterable<Fact>): Iterable<Fact> {
  return page_cache?.following(facts) ?? facts
}

function runBatch(batch: ServedCall[]): void {
  if (batch.length === 0) return
  const answers: (() => void)[] = []
  try {
    const open = opened()
    for (const call of batch) answers.push(runCall(open, call))
    commit(open)
  } catch (error) {
    const fault = translateSqliteError(error, data.ledger_file)
    if (store) rollBack(store)
    for (const call of batch) call.reject(fault)
    return
  }
  if (batch.some((call) => call.method === 'tidy')) cutTicketLog()
  for (const answer of answers) answer()
}

function opened(): LedgerStore {
  if (!store) throw new SluiceError({ code: 'ledger.closed', message: 'the ledger is closed' })
  return store
}

/** Answers only after the commit: what is answered is durable. */
function runCall(open: LedgerStore, call: ServedCall): () => void {
  const { argument, now_ms } = call.argument as { argument: never; now_ms: number }
  const marks = open.claimMarks()
  try {
    const run = calls[call.method]
    if (!run) throw new Error(`no such method: ${call.method}`)
    if (!reads_only.has(call.method)) {
      open.transaction.enter()
      open.wall_clock.passes(now_ms)
    }
    const value = run(open, argument, now_ms)
    open.transaction.keepCall()
    open.tickets.transaction.keepCall()
    return () => call.resolve(value)
  } catch (error) {
    const both_stand = [open.transaction.undoCall(), open.tickets.transaction.undoCall()]
    if (both_stand.includes(false)) throw error
    open.recover(marks)
    const fault = translateSqliteError(error, data.ledger_file)
    return () => call.reject(fault)
  }
}

/** Tickets first: a crash between the two leaves a ticket that the next claim finds, never a slot without its ticket. */
function commit(open: LedgerStore): void {
  open.tickets.transaction.commit()
  open.transaction.commit()
  open.claimsCommitted()
}

function rollBack(open: LedgerStore): void {
  open.tickets.transaction.rollBack()
  open.transaction.rollBack()
  open.recover({ claims: 0, run_claims: 0 })
}

/** What was recorded is durable whatever becomes of this; it is tried again with the next tidy, and at close. */
function cutTicketLog(): void {
  try {
    store?.tickets.checkpoint()
  } catch (error) {
    process.emitWarning(`the log of the tickets could not be cut: ${messageOf(error)}`)
  }
}
