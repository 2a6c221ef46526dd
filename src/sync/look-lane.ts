import { listOf } from '../base/group.ts'
import type { Pulses } from '../base/pulse.ts'
import { restUntilDue } from '../base/rest.ts'
import { backoff_ms, type Clock, minute_ms, second_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import type { Ledger, LookChoice } from '../ledger/ledger.ts'
import { lookKey } from './look-key.ts'
import type { SyncReport } from './report.ts'

/** Many facts wake it; they are gathered for this long. */
const pace_ms = 20
/** A folder that is in doubt records nothing, and its files stay due: its keeper has to look at the whole of it first. */
const doubt_rest_ms = 5 * second_ms
const after_error = { first_ms: 500, most_ms: minute_ms }

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
  /** A claim may end before its look does, by time or when a folder comes back: the next one on the path is no second look. */
  const under_way = new Set<string>()
  const on_error = (error: unknown) => report.fault(lane.name, error)

  async function step(): Promise<{ wait_ms: number }> {
    const full = [...rounds_of].filter(([, count]) => count >= lane.rounds_a_folder)
    const except_folders = full.map(([folder]) => folder)
    const { work, next_due_ms } = await ledger.claimToLook(lane.files_a_round, { sizes: [lane.size], except_folders })
    if (work.length === 0) return restUntilDue(next_due_ms, clock)
    const by_folder = new Map<string, string[]>()
    for (const { folder, path } of work) if (!under_way.has(lookKey(folder, path))) listOf(by_folder, folder).push(path)
    for (const [folder, paths] of by_folder) begin(folder, paths)
    return { wait_ms: 0 }
  }

  function begin(folder: string, paths: readonly string[]): void {
    rounds_of.set(folder, (rounds_of.get(folder) ?? 0) + 1)
    for (const path of paths) under_way.add(lookKey(folder, path))
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
    // A look that failed, or led to no fact, must not hide its file until the claim runs out.
    const claims = paths.map((path) => ({ folder, path }))
    for (const path of paths) under_way.delete(lookKey(folder, path))
    await ledger.release('look', claims)
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
      return backoff_ms(errors, after_error)
    }
  }

  async function ended(): Promise<void> {
    await worker.ended
    await Promise.all(rounds)
  }

  const worker = runWorker({ name: lane.name, step, clock, signal, pace_ms, on_error, pulses })
  return { name: lane.name, wake: () => worker.wake(), ended: ended() }
}
