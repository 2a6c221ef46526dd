import { second_ms } from '../base/time.ts'
import type { Tools } from './tools.ts'
import type { Workers } from './workers.ts'

/** A large upload may take hours; it goes on with the next start all the same. */
const stop_most_ms = 30 * second_ms

/** Lets what was begun finish, for a while; then closes everything in the reverse order of its opening. */
export async function closeInReverse(
  tools: Tools,
  { all, keepers, uploader }: Workers,
  { soft, hard }: { soft: AbortController; hard: AbortController },
): Promise<void> {
  const { remote, clock } = tools
  soft.abort()
  const finished = new AbortController()
  const begun = uploader.drained().then(() => finished.abort())
  await Promise.race([begun, clock.sleep(stop_most_ms, finished.signal), aborted(hard.signal)])
  hard.abort()
  finished.abort()
  // Ends what still waits for an answer; the workers see it as a failure after their signal, and record nothing for it.
  await remote.close()
  await begun
  await Promise.all([...all.map((worker) => worker.ended), ...[...keepers.values()].map((keeper) => keeper.close())])
  await closeTools(tools)
}

/** What openTools opened, where no worker runs. */
export async function closeTools({ remote, examiner, lines, ledger }: Tools): Promise<void> {
  await remote.close()
  await examiner.close()
  lines.close()
  await ledger.close()
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}
