import { SluiceError } from '../base/run/errors.ts'
import { formatCount, formatDuration } from '../base/text/format.ts'
import { type Clock, minute_ms, second_ms } from '../base/time/time.ts'
import { featureIn, projectIn } from '../domain/trouble.ts'
import type { Circuits } from '../sync/circuits.ts'
import { projectHint, uploads_hint } from '../sync/report.ts'
import type { Tools } from './tools.ts'

export type Drained =
  | { why: 'done' }
  /** The pass gave up. Files that are not sent stay queued for the next run. */
  | {
      why: 'account' | 'project' | 'service_unreachable' | 'asked_to_wait' | 'still_reading'
      error: SluiceError
    }

export interface DrainTools
  extends Pick<Tools, 'ledger' | 'clock' | 'ledgerFault' | 'moved' | 'report'> {
  circuits: Circuits
  signal: AbortSignal
  /** Work that has begun and is not in the ledger yet. */
  inFlight(): number
  foldersAreIdle(): boolean
  /** How often facts were recorded so far. Two equal readings: nothing was recorded meanwhile. */
  recorded(): number
}

const check_every_ms = 50
/** `drain` waits only for work due within this time, not for later retries or slow ingest. */
const horizon_ms = minute_ms
/** This number of names takes ten seconds. More are no reason to wait: the namer goes on later. */
const max_names_waited = 10
/** A user at a terminal must see within this time what a pass waits for. */
const max_silent_ms = 10 * second_ms
/** How long a single pass waits for a service that does not answer. */
const unreachable_ms = 30 * second_ms
/** Maximum total wait, without any success, for a service that asks for pauses. */
const max_pauses_ms = 5 * minute_ms

/**
 * Resolves when no work is left that proceeds by itself soon, or when the signal aborts. With
 * `give_up` (a single pass) it also resolves when waiting makes no sense: the service is out of
 * reach or refuses, or nothing but its reading was left for `max_reading_ms`. A single pass throws
 * `database.*` if the ledger can record nothing more. A daemon instead waits until the disk has
 * space again.
 */
export async function drain(
  tools: DrainTools,
  options: { give_up: false } | { give_up: true; max_reading_ms: number },
): Promise<Drained> {
  const { clock, signal, circuits } = tools
  const worstOf = createPatience(clock)
  const sayWaiting = createWaitLines(tools)
  const reading = options.give_up ? createReadingWait(clock, options.max_reading_ms) : undefined
  while (!signal.aborted) {
    const lost = options.give_up ? tools.ledgerFault() : undefined
    if (lost) throw lost
    if (await isSettled(tools)) return { why: 'done' }
    if (options.give_up) await sayWaiting()
    const fault =
      options.give_up && tools.foldersAreIdle() && tools.inFlight() === 0
        ? worstOf(circuits.tripped())
        : undefined
    if (fault && !(await hasOtherWork(tools, circuits))) return fault
    if (reading?.isOver(tools.foldersAreIdle() ? String(tools.moved()) : undefined)) {
      const { check, send, follow, label, remove } = await tools.ledger.pending(horizon_ms)
      if (check + send + label + remove === 0)
        return { why: 'still_reading', error: reading.verdict(follow) }
      // Other work is left, so the wait begins anew: a large file in transfer makes no facts.
      reading.isOver(undefined)
    }
    await clock.sleep(check_every_ms, signal)
  }
  return { why: 'done' }
}

const waits_for: Record<string, string> = {
  check: 'to check',
  send: 'to upload',
  follow: 'that the service reads',
  label: 'without their labels',
  remove: 'to remove on the service',
}

/** Reports what a pass waits for whenever nothing has moved for `max_silent_ms`. */
function createWaitLines({ clock, ledger, moved, report }: DrainTools): () => Promise<void> {
  let silent_since_ms = clock.monotonic_ms()
  let last = moved()
  return async () => {
    const now_ms = clock.monotonic_ms()
    if (moved() !== last) silent_since_ms = now_ms
    last = moved()
    if (now_ms - silent_since_ms < max_silent_ms) return
    silent_since_ms = now_ms
    const left = Object.entries(await ledger.pending(horizon_ms))
    const parts = left.flatMap(([what, files]) => {
      return files && waits_for[what] ? `${formatCount(files)} ${waits_for[what]}` : []
    })
    report.trouble('sync', `waits for files: ${parts.join(', ')}`, 'info')
  }
}

async function isSettled(tools: DrainTools): Promise<boolean> {
  const before = tools.recorded()
  if (!tools.foldersAreIdle() || tools.inFlight() > 0) return false
  const { check, send, follow, label, name, remove } = await tools.ledger.pending(horizon_ms)
  if (check + send + follow + label + remove > 0) return false
  if (name > 0 && name <= max_names_waited) return false
  return tools.foldersAreIdle() && tools.inFlight() === 0 && tools.recorded() === before
}

/** True if only projects are refused, and work of other projects or checks of files are left. */
async function hasOtherWork({ ledger }: DrainTools, circuits: Circuits): Promise<boolean> {
  const tripped = circuits.tripped().filter(({ about }) => featureIn(about) === undefined)
  const except = tripped.flatMap(({ about }) => projectIn(about) ?? [])
  if (except.length < tripped.length) return false
  const { check } = await ledger.pending(horizon_ms)
  return check > 0 || (await ledger.dueElsewhere(except, horizon_ms))
}

type Tripped = ReturnType<Circuits['tripped']>[number]
type GivenUp = Exclude<Drained, { why: 'done' }>

function stopped(why: GivenUp['why'], code: string, message: string, hint: string): GivenUp {
  return { why, error: new SluiceError({ code, message, hint }) }
}

/** Decides for each open circuit whether waiting for it still makes sense. */
function createPatience(clock: Clock) {
  /** End of the last pause that each host asked for, by the monotonic clock. */
  const paused_until_ms = new Map<string, number>()

  function pause({ about, since_ms, until_ms, message }: Tripped): Drained | undefined {
    paused_until_ms.set(about, until_ms)
    const now_ms = clock.monotonic_ms()
    const is_too_long = until_ms - since_ms > max_pauses_ms
    // The probe after the pause needs some time for its answer.
    if (!is_too_long && now_ms - until_ms < unreachable_ms) return undefined
    const left = until_ms > now_ms ? `, the next ${formatDuration(until_ms - now_ms)}` : ''
    const text = `the service asked Sluice to wait${left}: ${message}`
    const hint = 'the next run uploads the rest; it also waits as long as the service asks'
    return stopped('asked_to_wait', 'service.asked_to_wait', text, hint)
  }

  function unreachable({ about, since_ms, message }: Tripped): Drained | undefined {
    const lost_since_ms = Math.max(since_ms, paused_until_ms.get(about) ?? since_ms)
    if (clock.monotonic_ms() - lost_since_ms < unreachable_ms) return undefined
    const hint = 'the next run uploads the rest; check service.base_url and the network'
    return stopped('service_unreachable', 'service.unreachable', message, hint)
  }

  return (resting: readonly Tripped[]): Drained | undefined => {
    for (const tripped of resting) {
      const { about, message } = tripped
      // No pass waits for what is not needed to bring files in.
      if (featureIn(about) !== undefined) continue
      if (about === 'account')
        return stopped('account', 'account.refused', message, 'renew the token, then run it again')
      if (about.startsWith('project:'))
        return stopped('project', 'project.refused', message, projectHint(tripped))
      if (about.startsWith('uploads:'))
        return stopped('project', 'uploads.refused', message, uploads_hint)
      const lost = tripped.asked_to_wait ? pause(tripped) : unreachable(tripped)
      if (lost) return lost
    }
    return undefined
  }
}

/** Measures how long only the service's own reading went on: a large scan may take it hours. */
export function createReadingWait(clock: Clock, max_ms: number) {
  let last_state: string | undefined
  let since_ms = clock.monotonic_ms()
  return {
    /** True after `max_ms` without a change of `state`; undefined: other work is under way. */
    isOver(state: string | undefined): boolean {
      const now_ms = clock.monotonic_ms()
      if (state === undefined || state !== last_state) since_ms = now_ms
      last_state = state
      return state !== undefined && now_ms - since_ms >= max_ms
    },
    /** Error of a pass that stops waiting: nothing is wrong, and nothing is lost. */
    verdict(files: number): SluiceError {
      const what = files === 1 ? '1 file' : `${formatCount(files)} files`
      return new SluiceError({
        code: 'answer.still_reading',
        message: `the service is still reading ${what}, and nothing has changed for ${formatDuration(max_ms)}`,
        hint: 'they are uploaded; the next `sluice sync`, or a running daemon, waits for them',
      })
    },
  }
}
