import { aborted, second_ms, within } from '../base/time/time.ts'
import type { KeptFolders } from './reload/kept-folders.ts'
import type { Reloads } from './reload/reload.ts'
import type { Tools } from './tools.ts'

/** A large upload or the hash of a huge file may take hours. The next start continues it. */
const max_stop_ms = 30 * second_ms
/** Wait for the last work after its tools are closed; moments are enough. */
const last_wait_ms = 5 * second_ms

export interface Running extends ReturnType<Reloads['stop']> {
  tools: Tools
  folders: KeptFolders
  /** End of the health worker; it may still have to record an alert that was just delivered. */
  health: Promise<void> | undefined
}

/**
 * Lets running work finish for a while, then closes everything in the reverse order of opening.
 * `at_once` ends the wait, also while a stop is under way.
 */
export async function closeInReverse(running: Running, at_once: AbortSignal): Promise<void> {
  const { tools, folders, generations, reloading, health } = running
  const { examiner, roots, clock } = tools
  folders.stop()
  for (const generation of generations) generation.stop()
  const finished = new AbortController()
  const patience = Promise.race([clock.sleep(max_stop_ms, finished.signal), aborted(at_once)])
  const begun = Promise.all(generations.map((generation) => generation.drained()))
  await Promise.race([begun, patience])
  for (const generation of generations) generation.abort()
  // Ends requests that still wait for an answer. Workers see a failure after their signal, and
  // record nothing for it.
  await Promise.all(generations.map((generation) => generation.connections.close()))
  const workers = generations.map((generation) => generation.ended())
  const ended = Promise.all([begun, ...workers, folders.ended(), reloading.catch(() => {})])
  await Promise.race([ended, patience])
  finished.abort()
  // The same for work that waits for the disk. A thread inside a read that never returns (an
  // unresponsive mount) cannot even be ended.
  await within(Promise.all([examiner.close(), roots.close(), ended]), last_wait_ms, clock)
  if (health) await within(health, last_wait_ms, clock)
  await closeTools(tools)
}

/** Closes what `openTools` opened, when no worker runs. */
export async function closeTools({ examiner, roots, scan_thread, lines, ledger, clock }: Tools): Promise<void> {
  await within(Promise.all([examiner.close(), roots.close(), scan_thread.close()]), last_wait_ms, clock)
  lines.close()
  await ledger.close()
}
