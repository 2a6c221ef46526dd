import { aborted, within } from '../base/run/waits.ts'
import { second_ms } from '../base/time/time.ts'
import type { KeptFolders } from './reload/kept-folders.ts'
import type { Reloads } from './reload/reload.ts'
import type { Tools } from './tools.ts'

/** A large upload or the hash of a huge file may take hours; it goes on with the next start all the same. */
const stop_most_ms = 30 * second_ms
/** For what is left when every tool that a worker may wait for has ended: moments. */
const last_wait_ms = 5 * second_ms

export interface Running extends ReturnType<Reloads['stop']> {
  tools: Tools
  folders: KeptFolders
  /** The end of what judges the health: an alert that is delivered meanwhile is still to be recorded. */
  health: Promise<void> | undefined
}

/**
 * Lets what was begun finish, for a while; then closes everything in the reverse order of its opening. `at_once`: nobody waits
 * any more; may come while a stop is under way.
 */
export async function closeInReverse(running: Running, at_once: AbortSignal): Promise<void> {
  const { tools, folders, generations, reloading, health } = running
  const { examiner, roots, clock } = tools
  folders.stop()
  for (const generation of generations) generation.stop()
  const finished = new AbortController()
  const patience = Promise.race([clock.sleep(stop_most_ms, finished.signal), aborted(at_once)])
  const begun = Promise.all(generations.map((generation) => generation.drained()))
  await Promise.race([begun, patience])
  for (const generation of generations) generation.abort()
  // Ends what still waits for an answer; the workers see it as a failure after their signal, and record nothing for it.
  await Promise.all(generations.map((generation) => generation.connections.close()))
  const workers = generations.map((generation) => generation.ended())
  const ended = Promise.all([begun, ...workers, folders.ended(), reloading.catch(() => {})])
  await Promise.race([ended, patience])
  finished.abort()
  // The same for what still waits for the disk. A thread inside a read that never returns (a dead share) cannot even be ended.
  await within(Promise.all([examiner.close(), roots.close(), ended]), last_wait_ms, clock)
  if (health) await within(health, last_wait_ms, clock)
  await closeTools(tools)
}

/** What openTools opened, where no worker runs. */
export async function closeTools({ examiner, roots, scan_thread, lines, ledger, clock }: Tools): Promise<void> {
  await within(Promise.all([examiner.close(), roots.close(), scan_thread.close()]), last_wait_ms, clock)
  lines.close()
  await ledger.close()
}
