import type { HttpClient } from '../base/net/http-client.ts'
import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import { closeInReverse } from './close.ts'
import { type DrainTools, drain } from './drain.ts'
import { keepHealth } from './health/health-keeper.ts'
import { createIdling } from './idling.ts'
import type { KeptFolders } from './reload/kept-folders.ts'
import type { Reloads } from './reload/reload.ts'
import type { Tools } from './tools.ts'

interface RunningParts {
  tools: Tools
  folders: KeptFolders
  reloads: Reloads
  mode: 'run' | 'once'
  /** HTTP client for alerts and pings; opened in mode `run` only. */
  receivers(): HttpClient
}

export type Daemon = ReturnType<typeof runDaemon>

/** A running daemon, from start to stop. It wakes the workers when a commit makes work for them. */
export function runDaemon({ tools, folders, reloads, mode, receivers }: RunningParts) {
  const { ledger } = tools
  const ending = new AbortController()
  const at_once = new AbortController()
  let recorded = 0
  let moved = 0
  let closing: Promise<void> | undefined
  ledger.onWork((kinds, why) => {
    if (why === 'recorded') recorded++
    if (why === 'recorded' && kinds.size > 0) moved++
    for (const kind of kinds) {
      if (kind === 'look' || kind === 'scan') folders.wake(kind)
      else reloads.current().wake(kind)
    }
  })
  const config = () => reloads.current().config
  const width = () => reloads.current().width()
  /** Mode `run` only: judges the health, raises alerts and serves the endpoints. */
  const health = mode === 'run' ? keepHealth({ tools, config, width, receivers: receivers() }) : undefined
  const idling = createIdling((gone) => {
    return drain(drainTools(AbortSignal.any([ending.signal, gone])), { give_up: false })
  })
  /** Mode `once`: resolves when the pass is over or has given up. Errors: `database.*`. */
  const drained =
    mode === 'once'
      ? drain(drainTools(ending.signal), { give_up: true, reading_most_ms: config().follow.pass_wait_ms })
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
      moved: () => moved,
    }
  }

  /** Gives running work half a minute to finish, then closes everything. */
  function stop(): Promise<void> {
    ending.abort()
    closing ??= closeInReverse({ tools, folders, ...reloads.stop(), health: health?.close() }, at_once.signal)
    return closing
  }

  return {
    health,
    drained,
    ledger,
    get config(): Config {
      return config()
    },
    /** Why the ledger can record nothing, or nothing that lasts; undefined while it can. */
    ledgerTrouble: tools.ledgerTrouble,
    /** Resolves when nothing is left to do soon. `gone` aborts when the caller stops waiting. */
    idle: (gone?: AbortSignal) => idling.wait(gone),
    /** Scans one folder now; all folders without a name. */
    rescan: (folder?: string) => folders.rescan(folder),
    /** Puts another config in force; see reload.ts. */
    reload: (newer: Config, secrets: Secrets) => reloads.reload(newer, secrets),
    /**
     * Stops uploads, questions and deliveries until `until_ms` or `resume`, also after a restart.
     */
    async pause(pause: { by: string; why?: string | undefined; until_ms?: number | undefined }): Promise<void> {
      const { by, why, until_ms } = pause
      await ledger.record([{ type: 'paused', by, why, until_ms }])
      reloads.current().circuits.pause(until_ms)
    },
    async resume(): Promise<void> {
      await ledger.record([{ type: 'resumed' }])
      reloads.current().circuits.resume()
      reloads.current().wake('send')
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
