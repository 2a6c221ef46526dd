import { heldBy } from '../base/run/heartbeat.ts'
import type { RunWork } from '../ledger/prompt-work.ts'
import { answerRun } from './ask/answer-run.ts'
import { defer, type RunTools } from './run-tools.ts'
import { startPool, type WorkPool } from './work-pool.ts'

/**
 * Runs mostly wait for files or an answer, and one must not delay another. Each holds its file list
 * and answers in memory, some hundred kilobytes, and calls the service a few times a minute.
 */
const runs_at_once = 32

/** Moves runs forward, each by one step at a time, from one fact to the next. */
export function startReporter(tools: RunTools): WorkPool {
  const { ledger, circuit } = tools
  return startPool(
    {
      name: 'reporter',
      at_once: runs_at_once,
      keyOf: ({ run }: RunWork) => String(run),
      async claim(room) {
        const { limit, wait_ms, except_projects } = circuit.allowance(['api'], 'questions')
        if (limit === 0) return { wait_ms }
        const claimed = await ledger.claimRuns(Math.min(room, limit), { except_projects })
        if (limit === 1 && !claimed.work.some(asksService)) circuit.unused()
        return claimed
      },
      // Calls and pauses have their own limits, and do not count as silence of the run.
      work: (item, heartbeat) =>
        answerRun(item, {
          ...tools,
          remote: heldBy(heartbeat, tools.remote),
          clock: heldBy(heartbeat, tools.clock),
        }),
      release: ({ run }) => ledger.release('run', [run]),
      defer: (item, error) => ledger.record([defer(item, error, tools)]),
    },
    tools,
  )
}

/** True if the step begins with a call of the service. A due run first waits for files. */
function asksService({ state }: RunWork): boolean {
  return state === 'planned' || state === 'asking' || state === 'asked'
}
