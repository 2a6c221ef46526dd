import { listOf } from '../../base/run/group.ts'
import { after_fault, restUntilDue, runWorker, type Worker } from '../../base/run/worker.ts'
import { backoff_ms, second_ms } from '../../base/time/time.ts'
import type { Ledger, LookChoice } from '../../ledger/ledger.ts'
import type { ClaimTools } from '../claim-worker.ts'
import type { Intake } from './intake.ts'

/** Many facts wake it; they are gathered for this long. */
const pace_ms = 20
/**
 * A folder that is in doubt records nothing, and its files stay due: its keeper has to look at the
 * whole of it first.
 */
const doubt_rest_ms = 5 * second_ms

interface LookLane {
  name: string
  size: LookChoice['sizes'][number]
  files_a_round: number
  /** A folder with so many under way gets no other: one that hangs holds up itself alone. */
  rounds_a_folder: number
  look(folder: string, paths: readonly string[]): Promise<'recorded' | 'doubtful'>
}

interface LookLaneTools extends Pick<ClaimTools, 'clock' | 'report' | 'pulses'> {
  ledger: Pick<Ledger, 'claimToLook' | 'release'>
}

/** Looks again at what is due: files that should be quiet by now, files that could not be read, large files that wait to be hashed. */
export function startLooker(tools: LookLaneTools & { intake: Intake }, signal: AbortSignal): Worker {
  const { intake } = tools
  const small: LookLane = {
    name: 'looker',
    size: 'small',
    files_a_round: 500,
    rounds_a_folder: 1,
    look: (folder, paths) => intake.lookAt(folder, paths),
  }
  const large: LookLane = {
    name: 'looker of large files',
    size: 'large',
    files_a_round: 1,
    // As many as there are threads to hash them.
    rounds_a_folder: 2,
    look: (folder, [path]) => intake.lookAtLarge(folder, path!),
  }
  const lanes = [small, large].map((lane) => startLookLane(lane, tools, signal))
  return {
    name: small.name,
    wake() {
      for (const lane of lanes) lane.wake()
    },
    ended: Promise.all(lanes.map(({ ended }) => ended)).then(() => {}),
  }
}

/** Claims what is due and has it looked at, folder by folder: no round waits for another. */
function startLookLane(lane: LookLane, tools: LookLaneTools, signal: AbortSignal): Worker {
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
    let rest_ms = 0
    try {
      if ((await lane.look(folder, paths)) === 'doubtful') rest_ms = doubt_rest_ms
      errors_of.delete(folder)
    } catch (error) {
      if (!signal.aborted) on_error(error)
      const errors = errors_of.get(folder) ?? 0
      errors_of.set(folder, errors + 1)
      rest_ms = backoff_ms(errors, after_fault)
    }
    const looks = paths.map((path) => ({ folder, path }))
    ledger.release('look', looks)
    await clock.sleep(rest_ms, signal)
  }

  const worker = runWorker({ name: lane.name, step, clock, signal, pace_ms, on_error, pulses })
  return { ...worker, ended: worker.ended.then(() => Promise.all(rounds)).then(() => {}) }
}
