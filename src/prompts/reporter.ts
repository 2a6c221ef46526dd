import { heldBy } from '../base/run/pulse.ts'
import type { RunWork } from '../ledger/prompt-work.ts'
import { answerRun } from './ask/answer-run.ts'
import { type RunTools, setBack } from './run-tools.ts'
import { startPool, type WorkPool } from './work-pool.ts'

/**
 * Runs nearly always wait, for files or for an answer, and the wait of one must not hold up another; each holds its file list
 * and its answers in memory, some hundred kilobytes, and asks the service a few times a minute.
 */
const runs_at_once = 32

/** Moves runs on, each a step at a time: from one fact to the next. */
export function startReporter(tools: RunTools): WorkPool {
  const { ledger, circuit } = tools
  return startPool(
    {
      name: 'reporter',
      at_once: runs_at_once,
      keyOf: ({ run }: RunWork) => String(run),
      async claim(room) {
        const { limit, wait_ms, except_projects } = circuit.allowance(['api'])
        if (limit === 0) return { wait_ms }
        const claimed = await ledger.claimRuns(Math.min(room, limit), { except_projects })
        if (limit === 1 && !claimed.work.some(asksService)) circuit.unused()
        return claimed
      },
      // An answer is waited for by looks with pauses between; looks and pauses have limits of their own.
      work: (item, pulse) =>
        answerRun(item, { ...tools, remote: heldBy(pulse, tools.remote), clock: heldBy(pulse, tools.clock) }),
      release: ({ run }) => ledger.release('run', [run]),
      setBack: (item, error) => ledger.record([setBack(item, error, tools)]),
    },
    tools,
  )
}

/** Neither waiting for files nor writing a report does, for a start. */
function asksService({ state }: RunWork): boolean {
  return state === 'planned' || state === 'asking' || state === 'asked'
}
