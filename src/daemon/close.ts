import { type Clock, second_ms } from '../base/time.ts'
import type { Tools } from './tools.ts'
import type { Workers } from './workers.ts'

/** A large upload or the hash of a huge file may take hours; it goes on with the next start all the same. */
const stop_most_ms = 30 * second_ms
/** For what is left when every tool that a worker may wait for has ended: moments. */
const last_wait_ms = 5 * second_ms

export interface StopSignals {
  /** Begin nothing new. */
  soft: AbortController
  /** Drop the uploads that are under way. */
  hard: AbortController
  /** Nobody waits any more; may come while a stop is under way. */
  at_once: AbortSignal
}

/** Lets what was begun finish, for a while; then closes everything in the reverse order of its opening. */
export async function closeInReverse(
  tools: Tools,
  { all, keepers, uploader, prompts }: Workers,
  { soft, hard, at_once }: StopSignals,
): Promise<void> {
  const { remote, examiner, clock } = tools
  soft.abort()
  const finished = new AbortController()
  const patience = Promise.race([clock.sleep(stop_most_ms, finished.signal), aborted(at_once)])
  const begun = Promise.all([uploader.drained(), prompts?.drained()])
  await Promise.race([begun, patience])
  hard.abort()
  // Ends what still waits for an answer; the workers see it as a failure after their signal, and record nothing for it.
  await remote.close()
  const workers = all.map((worker) => worker.ended)
  const ended = Promise.all([begun, ...workers, ...[...keepers.values()].map((keeper) => keeper.close())])
  await Promise.race([ended, patience])
  finished.abort()
  // The same for what still waits for the disk. A thread inside a read that never returns (a dead share) cannot even be ended.
  await within(Promise.all([examiner.close(), ended]), last_wait_ms, clock)
  await closeTools(tools)
}

async function within(work: Promise<unknown>, most_ms: number, clock: Clock): Promise<void> {
  const finished = new AbortController()
  await Promise.race([work, clock.sleep(most_ms, finished.signal)])
  finished.abort()
}

/** What openTools opened, where no worker runs. */
export async function closeTools({ remote, receivers, examiner, lines, ledger, clock }: Tools): Promise<void> {
  await Promise.all([remote.close(), receivers.close()])
  await within(examiner.close(), last_wait_ms, clock)
  lines.close()
  await ledger.close()
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
