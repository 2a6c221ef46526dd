import type { HttpClient } from '../base/net/http-client.ts'
import { aborted, second_ms, within } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { type DrainTools, drain } from './drain.ts'
import { keepHealth } from './health/health-keeper.ts'
import { createIdling } from './idling.ts'
import type { KeptFolders } from './reload/kept-folders.ts'
import type { Reloads } from './reload/reload.ts'
import { closeTools, last_wait_ms, type Tools } from './tools.ts'

interface RunningParts {
  tools: Tools
  folders: KeptFolders
  reloads: Reloads
  mode: 'run' | 'once'
  /** HTTP client for alerts and pings; opened in mode `run` only. */
  receivers(): HttpClient
}

export type Daemon = ReturnType<typeof runDaemon>

/** Maximum wait of a stop: large uploads or hashes take hours. The next start repeats them. */
const max_stop_ms = 30 * second_ms

/** A running daemon, from start to stop. It wakes the workers when a commit makes work for them. */
export function runDaemon({ tools, folders, reloads, mode, receivers }: RunningParts) {
  const { ledger } = tools
  const ending = new AbortController()
  const at_once = new AbortController()
  let recorded = 0
  let closing: Promise<void> | undefined
  ledger.onWork((kinds, why) => {
    if (why === 'recorded') recorded++
    for (const kind of kinds) {
      if (kind === 'check' || kind === 'scan') folders.wake(kind)
      else reloads.current().wake(kind)
    }
  })
  const config = () => reloads.current().config
  const width = () => reloads.current().width()
  /** Mode `run` only: judges the health, raises alerts and serves the endpoints. */
  const health =
    mode === 'run' ? keepHealth({ tools, config, width, receivers: receivers() }) : undefined
  const idling = createIdling((gone) => {
    return drain(drainTools(AbortSignal.any([ending.signal, gone])), { give_up: false })
  })
  /** Mode `once`: resolves when the pass is over or has given up. Errors: `database.*`. */
  const drained =
    mode === 'once'
      ? drain(drainTools(ending.signal), {
          give_up: true,
          max_reading_ms: config().follow.pass_wait_ms,
        })
      : new Promise<never>(() => {})
  // The caller may await `drained` late; until then a rejection must not count as unhandled.
  drained.catch(() => {})

  function drainTools(signal: AbortSignal): DrainTools {
    return {
      ...tools,
      circuits: reloads.current().circuits,
      signal,
      inFlight: () => folders.inFlight() + reloads.inFlight(),
      foldersAreIdle: folders.areIdle,
      recorded: () => recorded,
    }
  }

  /** Lets work finish for a while, then closes all. `at_once` ends the wait, also during it. */
  async function closeInReverse(): Promise<void> {
    const { examiner, roots, clock } = tools
    const { generations, reloading } = reloads.stop()
    const health_ended = health?.close()
    folders.stop()
    for (const generation of generations) generation.stop()
    const finished = new AbortController()
    const patience = Promise.race([
      clock.sleep(max_stop_ms, finished.signal),
      aborted(at_once.signal),
    ])
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
    // The health keeper may still be recording an alert.
    if (health_ended) await within(health_ended, last_wait_ms, clock)
    await closeTools(tools)
  }

  function stop(): Promise<void> {
    ending.abort()
    closing ??= closeInReverse()
    return closing
  }

  return {
    health,
    drained,
    ledger,
    get config(): Config {
      return config()
    },
    /** The service, as the workers call it now. */
    remote: () => reloads.current().connections.remote,
    /** Why the ledger can record nothing, or nothing that lasts; undefined while it can. */
    ledgerTrouble: tools.ledgerTrouble,
    /** The part that has gone of the large files whose upload goes on. */
    movedBytes: () => tools.flights.moved(),
    /** Resolves when nothing is left to do soon. `gone` aborts when the caller stops waiting. */
    idle: (gone?: AbortSignal) => idling.wait(gone),
    rescan: (folder?: string) => folders.rescan(folder),
    /** Without `secrets`, the earlier ones stay in force. */
    reload: (newer: Config, secrets?: Secrets) => reloads.reload(newer, secrets),
    /** No uploads, labels, removals, questions or reports until `until_ms` or `resume`. */
    async pause(pause: {
      by: string
      why?: string | undefined
      until_ms?: number | undefined
    }): Promise<void> {
      const { by, why, until_ms } = pause
      await ledger.record([{ type: 'paused', by, why, until_ms }])
      reloads.current().circuits.pause(until_ms)
    },
    async resume(): Promise<void> {
      await ledger.record([{ type: 'resumed' }])
      reloads.current().circuits.resume()
      reloads.current().wake('send')
    },
    /** A user asks again for what was refused. */
    async retry(folder: string, path: string): Promise<void> {
      reloads.current().circuits.retryRefused()
      await ledger.record([{ type: 'retried', folder, path }])
    },
    stop,
    /** Stops at once. The next start continues what was in flight. */
    abort(): Promise<void> {
      at_once.abort()
      reloads.abort()
      return stop()
    },
  }
}
