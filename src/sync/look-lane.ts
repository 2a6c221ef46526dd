import { after_fault, restUntilDue } from '../base/fault-rest.ts'
import { listOf } from '../base/group.ts'
import type { Pulses } from '../base/pulse.ts'
import { backoff_ms, type Clock, second_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import { lookKey } from '../domain/file.ts'
import type { Ledger, LookChoice } from '../ledger/ledger.ts'
import type { SyncReport } from './report.ts'

/** Many facts wake it; they are gathered for this long. */
const pace_ms = 20
/** A folder that is in doubt records nothing, and its files stay due: its keeper has to look at the whole of it first. */
const doubt_rest_ms = 5 * second_ms

export interface LookLane {
  name: string
  size: LookChoice['sizes'][number]
  files_a_round: number
  /** A folder with so many under way gets no other: one that hangs holds up itself alone. */
  rounds_a_folder: number
  look(folder: string, paths: readonly string[]): Promise<'recorded' | 'doubtful'>
}

export interface LookLaneTools {
  ledger: Pick<Ledger, 'claimToLook' | 'release'>
  clock: Clock
  report: SyncReport
  pulses: Pulses
}

/** Claims what is due and has it looked at, folder by folder: no round waits for another. */
export function startLookLane(lane: LookLane, tools: LookLaneTools, signal: AbortSignal): Worker {
  const { ledger, clock, report, pulses } = tools
  const rounds = new Set<Promise<void>>()
  const rounds_of = new Map<string, number>()
  const errors_of = new Map<string, number>()
  const on_error = (error: unknown) => report.fault(lane.name, error)

  async function step(): Promise<{ wait_ms: number }> {
    const full = [...rounds_of].filter(([, count]) => count >= lane.rounds_a_folder)
    const except_folders = full.map(([folder]) => folder)
    const { work, next_due_ms } = await ledger.claimToLook(lane.files_a_round, { sizes: [lane.size], except_folders })
    if (work.length === 0) return restUntilDue(next_due_ms, clock)
    const by_folder = new Map<string, string[]>()
    for (const { folder, path } of work) listOf(by_folder, folder).push(path)
    for (const [folder, paths] of by_folder) begin(folder, paths)
    return { wait_ms: 0 }
  }

  function begin(folder: string, paths: readonly string[]): void {
    rounds_of.set(folder, (rounds_of.get(folder) ?? 0) + 1)
    const round = lookAt(folder, paths)
      .catch(on_error)
      .finally(() => {
        rounds.delete(round)
        const left = rounds_of.get(folder)! - 1
        if (left > 0) rounds_of.set(folder, left)
        else rounds_of.delete(folder)
        worker.wake()
      })
    rounds.add(round)
  }

  async function lookAt(folder: string, paths: readonly string[]): Promise<void> {
    const rest_ms = await restAfter(folder, () => lane.look(folder, paths))
    const looks = paths.map((path) => ({ folder, path }))
    ledger.release('look', looks)
    await clock.sleep(rest_ms, signal)
  }

  async function restAfter(folder: string, look: () => Promise<'recorded' | 'doubtful'>): Promise<number> {
    try {
      const answer = await look()
      errors_of.delete(folder)
      return answer === 'doubtful' ? doubt_rest_ms : 0
    } catch (error) {
      if (!signal.aborted) on_error(error)
      const errors = errors_of.get(folder) ?? 0
      errors_of.set(folder, errors + 1)
      return backoff_ms(errors, after_fault)
    }
  }

  async function ended(): Promise<void> {
    await worker.ended
    await Promise.all(rounds)
  }

  const worker = runWorker({ name: lane.name, step, clock, signal, pace_ms, on_error, pulses })
  return { name: lane.name, wake: () => worker.wake(), ended: ended() }
}

type Answer = 'recorded' | 'doubtful'

interface LargeLook {
  answer: Promise<Answer>
  is_wanted_again: boolean
}

/** Large files that are looked at now, each by one at a time. Reading one may take an hour: nobody else waits for it. */
export class LargeLooks {
  readonly #under_way = new Map<string, LargeLook>()

  /** True when the file is being looked at, and will be looked at once more after that. */
  askAgain(folder: string, path: string): boolean {
    const under_way = this.#under_way.get(lookKey(folder, path))
    if (under_way) under_way.is_wanted_again = true
    return under_way !== undefined
  }

  /** Who comes while it is read gets the answer of the first. */
  look(folder: string, path: string, work: () => Promise<Answer>): Promise<Answer> {
    const key = lookKey(folder, path)
    const under_way = this.#under_way.get(key)
    if (under_way) return under_way.answer
    const look: LargeLook = { answer: Promise.resolve('recorded'), is_wanted_again: false }
    this.#under_way.set(key, look)
    look.answer = this.#repeat(key, look, work)
    return look.answer
  }

  async #repeat(key: string, look: LargeLook, work: () => Promise<Answer>): Promise<Answer> {
    try {
      for (;;) {
        look.is_wanted_again = false
        const answer = await work()
        if (!look.is_wanted_again) return answer
      }
    } finally {
      // In the turn in which nobody wanted it again: who asks later looks for himself.
      this.#under_way.delete(key)
    }
  }
}
