import { SluiceError } from '../base/errors.ts'
import { type Clock, minute_ms, second_ms } from '../base/time.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Circuits } from '../sync/circuits.ts'

export type Drained =
  | { why: 'done' }
  /** It gave up: what is not in stays where it is, and goes on with the next run. */
  | { why: 'account' | 'project' | 'service_unreachable'; error: SluiceError }

export interface DrainTools {
  ledger: Ledger
  circuits: Circuits
  clock: Clock
  signal: AbortSignal
  /** Everything that is being worked on and is not in the ledger yet. */
  inFlight(): number
  foldersAreIdle(): boolean
  /** Grows with every record: nothing new was told between two looks. */
  recorded(): number
  /** The disk under the ledger is full or broken. */
  ledgerFault(): SluiceError | undefined
}

const look_ms = 50
/** Waited for by a single pass; what rests for longer (a resend that is held back, a slow ingest) is left to the next. */
const horizon_ms = minute_ms
/** How long a single pass waits for a service that does not answer. */
const unreachable_ms = 30 * second_ms

/**
 * Resolves when nothing is left that moves by itself soon, or when it makes no sense to wait. Errors with `give_up`: `database.*`
 * when nothing can be recorded any more; a daemon that goes on for ever waits for room on the disk, a single pass does not.
 */
export async function drain(tools: DrainTools, options: { give_up: boolean }): Promise<Drained> {
  const { clock, signal, circuits } = tools
  while (!signal.aborted) {
    const lost = options.give_up ? tools.ledgerFault() : undefined
    if (lost) throw lost
    if (await isSettled(tools)) return { why: 'done' }
    const fault =
      options.give_up && tools.foldersAreIdle() && tools.inFlight() === 0 ? worstOf(circuits, clock) : undefined
    if (fault && !(await hasOtherWork(tools, circuits))) return fault
    await clock.sleep(look_ms, signal)
  }
  return { why: 'done' }
}

async function isSettled(tools: DrainTools): Promise<boolean> {
  const before = tools.recorded()
  if (!tools.foldersAreIdle() || tools.inFlight() > 0) return false
  const { look, send, follow, label } = await tools.ledger.pending(horizon_ms)
  if (look + send + follow + label > 0) return false
  return tools.foldersAreIdle() && tools.inFlight() === 0 && tools.recorded() === before
}

/** With one project refused, the others still go on. */
async function hasOtherWork({ ledger }: DrainTools, circuits: Circuits): Promise<boolean> {
  const tripped = circuits.tripped()
  if (tripped.some(({ about }) => !about.startsWith('project:'))) return false
  const except = tripped.map(({ about }) => about.slice('project:'.length))
  const { look } = await ledger.pending(horizon_ms)
  return look > 0 || (await ledger.dueElsewhere(except, horizon_ms))
}

function worstOf(circuits: Circuits, clock: Clock): Drained | undefined {
  for (const { about, since_ms, message } of circuits.tripped()) {
    if (about === 'account') {
      return {
        why: 'account',
        error: new SluiceError({ code: 'account.refused', message, hint: 'renew the token, then run it again' }),
      }
    }
    if (about.startsWith('project:')) {
      const hint = 'check project_id in the config, and that the token may use it'
      return { why: 'project', error: new SluiceError({ code: 'project.refused', message, hint }) }
    }
    if (clock.now_ms() - since_ms >= unreachable_ms) {
      const hint = 'what was not sent goes up with the next run; check service.base_url and the network'
      return { why: 'service_unreachable', error: new SluiceError({ code: 'service.unreachable', message, hint }) }
    }
  }
  return undefined
}
