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
  /** For alerts and pings; opened for `run` alone. */
  receivers(): HttpClient
}

export type Daemon = ReturnType<typeof runDaemon>

/** A daemon from its start to its end. It stands between the ledger's commits and those who wait for work. */
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
  /** Mode `run`: judges the health, tells of it and serves it. */
  const health = mode === 'run' ? keepHealth({ tools, config, width, receivers: receivers() }) : undefined
  const idling = createIdling((gone) => {
    return drain(drainTools(AbortSignal.any([ending.signal, gone])), { give_up: false })
  })
  /** Mode `once`: the pass is over, or gave up. Errors: `database.*`, when nothing can be recorded any more. */
  const drained =
    mode === 'once'
      ? drain(drainTools(ending.signal), { give_up: true, reading_most_ms: config().follow.pass_wait_ms })
      : new Promise<never>(() => {})
  // Whoever started it may look at it only later.
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

  /** What was begun is finished, for half a minute at the most; then everything closes. */
  function stop(): Promise<void> {
    ending.abort()
    closing ??= closeInReverse({ tools, folders, ...reloads.stop(), health: health?.close() }, at_once.signal)
    return closing
  }

  return {
    health,
    drained,
    ledger,
    /** That in force. */
    get config(): Config {
      return config()
    },
    /** Why nothing can be recorded, or nothing that lasts. */
    ledgerTrouble: tools.ledgerTrouble,
    /** Every folder was scanned, and nothing is due soon or in flight. `gone`: who asked does not wait any more. */
    idle: (gone?: AbortSignal) => idling.wait(gone),
    /** Scan one folder, or all, now. */
    rescan: (folder?: string) => folders.rescan(folder),
    /** Puts another config in force; see reload.ts. */
    reload: (newer: Config, secrets: Secrets) => reloads.reload(newer, secrets),
    /** Nothing new is sent, asked or delivered, until `until_ms` or until it is resumed; a restart changes nothing of it. */
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
    /** At once. What was in flight goes on at the next start. */
    abort(): Promise<void> {
      at_once.abort()
      reloads.abort()
      return stop()
    },
  }
}
