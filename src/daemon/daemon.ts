import { setMaxListeners } from 'node:events'
import type { Config } from '../config/config.ts'
import type { Fact } from '../domain/fact.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { configurePrompts } from '../prompts/configure-prompts.ts'
import { rulesText } from '../sync/folder-settings.ts'
import { closeInReverse, closeTools } from './close.ts'
import { type Drained, drain } from './drain.ts'
import { openTools, type ToolOptions } from './tools.ts'
import { startWorkers } from './workers.ts'

export interface DaemonOptions extends ToolOptions {
  /** `run` watches until it is stopped; `once` looks at every folder a single time. */
  mode: 'run' | 'once'
  /** Look at these folders alone; work on the others that is begun already goes on. Absent: all of the config. */
  only_folders?: readonly string[] | undefined
  /** Mode `once` asks as well what a person wants asked; nothing is asked by its schedule. Who asks watches the run. */
  asks_by_hand?: boolean
}

export interface Daemon {
  readonly ledger: Ledger
  /** Mode `once`: the pass is over, or gave up. Errors: `database.*`, when nothing can be recorded any more. */
  readonly drained: Promise<Drained>
  /** Every folder was scanned, and nothing is due soon or in flight. */
  idle(): Promise<void>
  /** Scan one folder, or all, now. */
  rescan(folder?: string): void
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
  const soft = new AbortController()
  const hard = new AbortController()
  const at_once = new AbortController()
  // Every worker and every rest listens to it: many, and bounded by the number of workers.
  setMaxListeners(0, soft.signal, hard.signal)

  const tools = await openTools(options)
  const { ledger } = tools
  try {
    await ledger.record(factsOfStart(config))
    // Before anything of them can come due.
    if (asking !== 'never') await configurePrompts(ledger, config.prompts, tools.prompt_report)
  } catch (error) {
    await closeTools(tools)
    throw error
  }

  const workers = startWorkers(tools, {
    config,
    watch: mode === 'run',
    asking,
    only_folders: options.only_folders,
    reloadToken: () => secrets.reload(),
    soft: soft.signal,
    hard: hard.signal,
  })
  let recorded = 0
  ledger.onWork((kinds) => {
    recorded++
    for (const kind of kinds) workers.wake(kind)
  })

  const keepers = [...workers.keepers.values()]
  const drain_tools = {
    ledger,
    clock,
    circuits: workers.circuits,
    signal: soft.signal,
    inFlight: () => workers.inFlight(),
    foldersAreIdle: () => keepers.every((keeper) => keeper.isIdle()),
    recorded: () => recorded,
    ledgerFault: () => tools.ledgerFault(),
  }
  const drained = mode === 'once' ? drain(drain_tools, { give_up: true }) : new Promise<never>(() => {})
  // Whoever started it may look at it only later.
  drained.catch(() => {})
  let closing: Promise<void> | undefined
  const close = () => (closing ??= closeInReverse(tools, workers, { soft, hard, at_once: at_once.signal }))

  return {
    ledger,
    drained,
    idle: async () => void (await drain(drain_tools, { give_up: false })),
    rescan(folder) {
      for (const [name, keeper] of workers.keepers) if (folder === undefined || folder === name) keeper.rescan()
    },
    stop: close,
    abort() {
      at_once.abort()
      hard.abort()
      return close()
    },
  }
}

function factsOfStart({ folders }: Config): Fact[] {
  return [
    { type: 'daemon_started' },
    ...folders.map((folder) => ({
      type: 'folder_configured' as const,
      folder: { ...folder, root: folder.path, rules: rulesText(folder) },
    })),
    { type: 'folders_removed_except', names: folders.map(({ name }) => name) },
  ]
}
