import type { Config } from '../config/config.ts'
import type { Secrets } from '../config/secrets.ts'
import type { Fact } from '../domain/fact.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { factsOfPrompts } from '../prompts/configure-prompts.ts'
import { Circuits } from '../sync/circuits.ts'
import { rulesText } from '../sync/folder-settings.ts'
import { closeInReverse, closeTools } from './close.ts'
import { projectsOf } from './config-changes.ts'
import { openReceivers } from './connections.ts'
import { type Drained, drain } from './drain.ts'
import { prepareGeneration } from './generation.ts'
import { HealthKeeper } from './health-keeper.ts'
import { Idling } from './idling.ts'
import { KeptFolders } from './kept-folders.ts'
import { auditSettings } from './limits.ts'
import { type ReloadOutcome, type ReloadParts, Reloads } from './reload.ts'
import { openTools, type ToolOptions, type Tools } from './tools.ts'

export interface DaemonOptions extends ToolOptions {
  secrets: Secrets
  /** `run` watches until it is stopped; `once` looks at every folder a single time. */
  mode: 'run' | 'once'
  /** Look at these folders alone; work on the others that is begun already goes on. Absent: all of the config. */
  only_folders?: readonly string[] | undefined
  /** Mode `once` asks as well what a person wants asked; nothing is asked by its schedule. Who asks watches the run. */
  asks_by_hand?: boolean
}

export interface Daemon {
  readonly ledger: Ledger
  /** That in force. */
  readonly config: Config
  /** Mode `run`: judges the health, tells of it and serves it. */
  readonly health: HealthKeeper | undefined
  /** Why nothing can be recorded, or nothing that lasts. */
  ledgerTrouble: Tools['ledgerTrouble']
  /** Mode `once`: the pass is over, or gave up. Errors: `database.*`, when nothing can be recorded any more. */
  readonly drained: Promise<Drained>
  /** Every folder was scanned, and nothing is due soon or in flight. `gone`: who asked does not wait any more. */
  idle(gone?: AbortSignal): Promise<void>
  /** Scan one folder, or all, now. */
  rescan(folder?: string): void
  /** Puts another config in force; see Reloads. */
  reload(config: Config, secrets: Secrets): Promise<ReloadOutcome>
  /** Nothing new is sent, asked or delivered, until `until_ms` or until it is resumed; a restart changes nothing of it. */
  pause(pause: { by: string; why?: string | undefined; until_ms?: number | undefined }): Promise<void>
  resume(): Promise<void>
  /** What was begun is finished, for half a minute at the most; then everything closes. */
  stop(): Promise<void>
  /** At once. What was in flight goes on at the next start. */
  abort(): Promise<void>
}

/**
 * THE MAIN JOB. Facts go in, work comes out: disk -> ledger -> uploader -> ledger -> follower -> ledger. Opens the ledger, makes
 * the workers, lets each commit wake those that it has work for, and closes in reverse. Errors on start: `ledger.locked`,
 * `database.*`, `config.*`. A token that is refused is no error here but a trouble in the ledger.
 */
export async function startDaemon(options: DaemonOptions): Promise<Daemon> {
  const { config, secrets, clock, mode } = options
  const asking = mode === 'run' ? 'on_schedule' : options.asks_by_hand ? 'by_hand' : 'never'
  const tools = await openTools(options)
  const { ledger } = tools
  const makeCircuits = () =>
    new Circuits({
      ...tools,
      get projects() {
        return projectsOf(reloads.current.config)
      },
      get audited() {
        return mode === 'run' ? auditSettings(reloads.current.config).projects : []
      },
      reloadToken: () => reloads.current.reloadToken(),
      onSlowDown: () => reloads.current.slowDown(),
    })
  const parts = { tools, asking } as const
  const prepare: ReloadParts['prepare'] = (config, secrets, circuits) =>
    prepareGeneration(config, secrets, circuits, parts)
  const factsOf = (config: Config) => factsOfConfig(config, tools, { asks: asking !== 'never' })
  const first = await prepared(() => prepare(config, secrets, makeCircuits()), tools)
  try {
    const at_work = mode === 'run' ? [{ type: 'daemon_at_work' as const, since_ms: clock.now_ms() }] : []
    await ledger.record([{ type: 'daemon_started' }, ...at_work, ...(await factsOf(config))])
  } catch (error) {
    await first.close()
    await closeTools(tools)
    throw error
  }

  const folders = new KeptFolders(tools, { watch: mode === 'run', only: options.only_folders })
  folders.configure(config)
  const reloads: Reloads = new Reloads(
    { tools, folders, makeCircuits, prepare, factsOf },
    first.begin(folders.settings),
    secrets,
  )
  let recorded = 0
  let moved = 0
  ledger.onWork((kinds, why) => {
    if (why === 'recorded') recorded++
    if (why === 'recorded' && kinds.size > 0) moved++
    for (const kind of kinds) {
      if (kind === 'look' || kind === 'scan') folders.wake(kind)
      else reloads.current.wake(kind)
    }
  })

  const config_in_force = () => reloads.current.config
  const health =
    mode === 'run'
      ? new HealthKeeper({
          tools,
          config: config_in_force,
          width: () => reloads.current.width(),
          receivers: openReceivers(clock),
        })
      : undefined

  const ending = new AbortController()
  const at_once = new AbortController()
  const drain_tools = {
    ledger,
    clock,
    circuits: reloads.current.circuits,
    signal: ending.signal,
    inFlight: () => folders.inFlight() + reloads.inFlight(),
    foldersAreIdle: () => folders.areIdle(),
    recorded: () => recorded,
    moved: () => moved,
    ledgerFault: () => tools.ledgerFault(),
  }
  const idling = new Idling((gone) => {
    const signal = AbortSignal.any([ending.signal, gone])
    return drain({ ...drain_tools, signal }, { give_up: false })
  })

  const reading_most_ms = config.follow.pass_wait_ms
  const drained =
    mode === 'once' ? drain(drain_tools, { give_up: true, reading_most_ms }) : new Promise<never>(() => {})
  // Whoever started it may look at it only later.
  drained.catch(() => {})
  let closing: Promise<void> | undefined
  function close(): Promise<void> {
    ending.abort()
    closing ??= closeAll()
    return closing
  }

  async function closeAll(): Promise<void> {
    const running = { tools, folders, ...reloads.stop(), health: health?.close() }
    await closeInReverse(running, at_once.signal)
  }

  return {
    ledger,
    health,
    ledgerTrouble: tools.ledgerTrouble,
    get config() {
      return reloads.current.config
    },
    drained,
    idle: (gone) => idling.wait(gone),
    rescan: (folder) => folders.rescan(folder),
    reload: (config, secrets) => reloads.reload(config, secrets),
    async pause({ by, why, until_ms }) {
      await ledger.record([{ type: 'paused', by, why, until_ms }])
      reloads.current.circuits.pause(until_ms)
    },
    async resume() {
      await ledger.record([{ type: 'resumed' }])
      reloads.current.circuits.resume()
      reloads.current.wake('send')
    },
    stop: close,
    abort() {
      at_once.abort()
      reloads.abort()
      return close()
    },
  }
}

/** What the ledger is to know of a config, in one transaction: before anything of it can come due. */
async function factsOfConfig({ folders, prompts }: Config, tools: Tools, { asks }: { asks: boolean }): Promise<Fact[]> {
  return [
    ...folders.map((folder) => ({
      type: 'folder_configured' as const,
      folder: { ...folder, root: folder.path, rules: rulesText(folder) },
    })),
    { type: 'folders_removed_except', names: folders.map(({ name }) => name) },
    ...(asks ? await factsOfPrompts(tools.ledger, prompts, tools.prompt_report) : []),
  ]
}

async function prepared<Prepared>(prepare: () => Prepared, tools: Tools): Promise<Prepared> {
  try {
    return prepare()
  } catch (error) {
    await closeTools(tools)
    throw error
  }
}
