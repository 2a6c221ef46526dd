import { listOf } from '../base/group.ts'
import { type Pulse, type Pulses, unwatched } from '../base/pulse.ts'
import { restUntilDue } from '../base/rest.ts'
import { type Clock, second_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Intake } from './intake.ts'
import type { SyncReport } from './report.ts'

const claimed_at_once = 500
/** Many facts wake it; they are gathered for this long. */
const pace_ms = 20
/** A folder that is in doubt records nothing, and its files stay due: its keeper has to look at the whole of it first. */
const doubt_rest_ms = 5 * second_ms

/** Looks again at what is due: files that should be quiet by now, files that could not be read. */
export function startLooker(
  tools: { ledger: Ledger; intake: Intake; clock: Clock; report: SyncReport; pulses?: Pulses },
  signal: AbortSignal,
): Worker {
  const { ledger, intake, clock, report, pulses = unwatched } = tools

  async function step(_signal: AbortSignal, pulse: Pulse): Promise<{ wait_ms: number }> {
    const { work, next_due_ms } = await ledger.claimToLook(claimed_at_once)
    if (work.length === 0) {
      return restUntilDue(next_due_ms, clock)
    }
    const by_folder = new Map<string, string[]>()
    for (const { folder, path } of work) listOf(by_folder, folder).push(path)
    // The files that are read for it, which may be huge, answer for themselves.
    const answers = await pulse.during(Promise.all([...by_folder].map(([folder, paths]) => lookAt(folder, paths))))
    return { wait_ms: answers.includes('doubtful') ? doubt_rest_ms : 0 }
  }

  /** A look that failed, or led to no fact, must not hide its file until the claim runs out. */
  async function lookAt(folder: string, paths: readonly string[]): Promise<'recorded' | 'doubtful'> {
    try {
      return await intake.lookAt(folder, paths)
    } finally {
      await ledger.release(
        'look',
        paths.map((path) => ({ folder, path })),
      )
    }
  }

  const on_error = (error: unknown) => report.fault('looker', error)
  return runWorker({ name: 'looker', step, clock, signal, pace_ms, on_error, pulses })
}
