import { type Heartbeat, type Heartbeats, heldBy } from '../base/run/heartbeat.ts'
import { allEnded, restUntilDue, runWorker } from '../base/run/worker.ts'
import type { Clock } from '../base/time/time.ts'
import type { Feature } from '../domain/trouble.ts'
import type { Claim, Ledger } from '../ledger/ledger.ts'
import { unlessRefused } from '../ledger/refused-facts.ts'
import type { Remote } from '../remote/remote.ts'
import type { Circuits } from './circuits.ts'
import type { SyncReport } from './report.ts'

export interface ClaimTools {
  ledger: Ledger
  remote: Remote
  circuits: Circuits
  clock: Clock
  report: SyncReport
  heartbeats: Heartbeats
}

export interface ClaimWork<Work, Tools> {
  name: string
  /** Kind of work in flight, as the ledger knows it. */
  kind: 'follow' | 'label' | 'name' | 'remove'
  max_claimed: number
  /** Collects wakes for this long, because many facts cause one. */
  pace_ms: number
  claim: Claim<Work>
  /** Does the work, which ends in facts. Waiting for the service is no silence of the worker. */
  act(work: readonly Work[], tools: Tools): Promise<void>
}

export type ClaimWorker = ReturnType<typeof startClaimWorker>

/** Claims contents, works on them, and releases them afterwards, even after an error. */
export function startClaimWorker<Work extends { content: number }, Tools extends ClaimTools>(
  { name, kind, max_claimed, pace_ms, claim, act }: ClaimWork<Work, Tools>,
  tools: Tools,
  signal: AbortSignal,
) {
  const { ledger, circuits, clock, report, heartbeats } = tools
  let in_flight = 0

  async function step(_signal: AbortSignal, heartbeat: Heartbeat): Promise<{ wait_ms: number }> {
    const { limit, wait_ms, except_projects } = circuits.allowance(['api'])
    if (limit === 0) return { wait_ms }
    const { work, next_due_ms } = await claim(Math.min(max_claimed, limit), { except_projects })
    if (work.length === 0) {
      if (limit === 1) circuits.unused()
      return restUntilDue(next_due_ms, clock)
    }
    in_flight = work.length
    try {
      await act(work, { ...tools, remote: heldBy(heartbeat, tools.remote) })
    } finally {
      in_flight = 0
      const contents = work.map(({ content }) => content)
      ledger.release(kind, contents)
    }
    return { wait_ms: 0 }
  }

  const on_error = (error: unknown) => report.fault(name, error)
  const worker = runWorker({ name, step, clock, signal, pace_ms, heartbeats, on_error })
  return { worker, inFlight: () => in_flight }
}

const max_at_once = 4

/**
 * Works on a few items at a time. `leave` receives those not begun, even if another threw. An item
 * with a refused fact rests, and the others go on.
 */
export async function actOnEach<Work extends { project_id: string }>(
  work: readonly Work[],
  { circuits, signal, feature }: { circuits: Circuits; signal: AbortSignal; feature?: Feature },
  act: (item: Work) => Promise<void>,
  leave: (left: readonly Work[]) => Promise<void>,
): Promise<void> {
  const left = new Set(work)
  try {
    for (let from = 0; from < work.length && !signal.aborted; from += max_at_once) {
      // A pause or trouble may begin after the claim. Such work is left.
      const begun = work
        .slice(from, from + max_at_once)
        .filter(({ project_id }) => !circuits.rests(project_id, ['api'], feature))
      for (const item of begun) left.delete(item)
      await allEnded(begun.map((item) => unlessRefused(act(item))))
    }
  } finally {
    await leave([...left])
  }
}
