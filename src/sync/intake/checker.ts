import { listOf } from '../../base/run/group.ts'
import { after_fault, restUntilDue, runWorker, type Worker } from '../../base/run/worker.ts'
import { backoff_ms, second_ms } from '../../base/time/time.ts'
import type { CheckChoice, Ledger } from '../../ledger/ledger.ts'
import type { ClaimTools } from '../claim-worker.ts'
import type { Intake } from './intake.ts'

/** Many facts wake the checker: it gathers them for this long. */
const pace_ms = 20
/** A doubtful folder records nothing: its keeper must scan it first, and its files stay due. */
const doubt_rest_ms = 5 * second_ms

interface CheckLane {
  name: string
  size: CheckChoice['sizes'][number]
  files_a_round: number
  /** Maximum rounds in one folder, so that a folder that hangs delays only itself. */
  rounds_a_folder: number
  check(folder: string, paths: readonly string[]): Promise<'recorded' | 'doubtful'>
}

interface CheckLaneTools extends Pick<ClaimTools, 'clock' | 'report' | 'heartbeats'> {
  ledger: Pick<Ledger, 'claimToCheck' | 'release'>
}

/** Checks due files: those quiet by now, unreadable ones, and large ones to hash. */
export function startChecker(
  tools: CheckLaneTools & { intake: Intake },
  signal: AbortSignal,
): Worker {
  const { intake } = tools
  const small: CheckLane = {
    name: 'checker',
    size: 'small',
    files_a_round: 500,
    rounds_a_folder: 1,
    check: (folder, paths) => intake.checkPaths(folder, paths),
  }
  const large: CheckLane = {
    name: 'checker of large files',
    size: 'large',
    files_a_round: 1,
    // There are two threads to hash them.
    rounds_a_folder: 2,
    check: (folder, [path]) => intake.checkLarge(folder, path!),
  }
  const lanes = [small, large].map((lane) => startCheckLane(lane, tools, signal))
  return {
    name: small.name,
    wake() {
      for (const lane of lanes) lane.wake()
    },
    ended: Promise.all(lanes.map(({ ended }) => ended)).then(() => {}),
  }
}

/** Claims what is due and has it checked folder by folder: no round waits for another. */
function startCheckLane(lane: CheckLane, tools: CheckLaneTools, signal: AbortSignal): Worker {
  const { ledger, clock, report, heartbeats } = tools
  const rounds = new Set<Promise<void>>()
  const rounds_of = new Map<string, number>()
  const errors_of = new Map<string, number>()
  const on_error = (error: unknown) => report.fault(lane.name, error)

  async function step(): Promise<{ wait_ms: number }> {
    const full = [...rounds_of].filter(([, count]) => count >= lane.rounds_a_folder)
    const except_folders = full.map(([folder]) => folder)
    const { work, next_due_ms } = await ledger.claimToCheck(lane.files_a_round, {
      sizes: [lane.size],
      except_folders,
    })
    if (work.length === 0) return restUntilDue(next_due_ms, clock)
    const by_folder = new Map<string, string[]>()
    for (const { folder, path } of work) listOf(by_folder, folder).push(path)
    for (const [folder, paths] of by_folder) begin(folder, paths)
    return { wait_ms: 0 }
  }

  function begin(folder: string, paths: readonly string[]): void {
    rounds_of.set(folder, (rounds_of.get(folder) ?? 0) + 1)
    const round = check(folder, paths)
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

  async function check(folder: string, paths: readonly string[]): Promise<void> {
    let rest_ms = 0
    try {
      if ((await lane.check(folder, paths)) === 'doubtful') rest_ms = doubt_rest_ms
      errors_of.delete(folder)
    } catch (error) {
      if (!signal.aborted) on_error(error)
      const errors = errors_of.get(folder) ?? 0
      errors_of.set(folder, errors + 1)
      rest_ms = backoff_ms(errors, after_fault)
    }
    const released = paths.map((path) => ({ folder, path }))
    ledger.release('check', released)
    await clock.sleep(rest_ms, signal)
  }

  const worker = runWorker({ name: lane.name, step, clock, signal, pace_ms, on_error, heartbeats })
  return { ...worker, ended: worker.ended.then(() => Promise.all(rounds)).then(() => {}) }
}
