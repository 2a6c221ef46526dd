import { setMaxListeners } from 'node:events'
import type { Worker } from '../base/worker.ts'
import type { Config, FolderConfig } from '../config/config.ts'
import { createIgnoreRules } from '../disk/ignore.ts'
import { createDeviceTurns } from '../sync/device-turns.ts'
import { type FolderKeeper, keepFolder } from '../sync/folder-keeper.ts'
import { createIntake, type Intake, type IntakeFolder } from '../sync/intake.ts'
import { startLooker } from '../sync/looker.ts'
import { WatchRoom } from '../sync/watch-choice.ts'
import type { Tools } from './tools.ts'

/**
 * The disk's side of the daemon: who keeps each folder, and the one intake for all. It lives as long as the process; a folder
 * whose settings stay the same keeps its keeper and its watcher through every reload, and is not scanned for it.
 */
export class KeptFolders {
  readonly #tools: Tools
  readonly #watch: boolean
  readonly #only: readonly string[] | undefined
  readonly #intake: Intake
  readonly #looker: Worker
  readonly #stop = new AbortController()
  readonly #turns = createDeviceTurns()
  /** Of every folder in force, whether it is kept here or not. */
  readonly #folders = new Map<string, IntakeFolder>()
  readonly #kept = new Map<string, Kept>()
  /** Told to end, and not there yet: a scan of a share that hangs may take long. */
  readonly #leaving = new Set<Promise<void>>()
  readonly #room = new WatchRoom()
  readonly #settings: Pick<Config, 'scan' | 'watching'>

  /** `only`: keep these alone. */
  constructor(
    tools: Tools,
    settings: Pick<Config, 'scan' | 'watching'>,
    options: { watch: boolean; only: readonly string[] | undefined },
  ) {
    this.#tools = tools
    this.#settings = settings
    this.#watch = options.watch
    this.#only = options.only
    // Every keeper and walk listens to it: many, and bounded by the number of folders.
    setMaxListeners(0, this.#stop.signal)
    this.#intake = createIntake({ ...tools, ...settings.scan, folders: this.#folders })
    this.#looker = startLooker({ ...tools, intake: this.#intake }, this.#stop.signal)
  }

  /** Those in force now; a copy, for who began under them and must end under them. */
  get settings(): ReadonlyMap<string, IntakeFolder> {
    return new Map(this.#folders)
  }

  /**
   * Takes up folders that are new or have changed and lets go of those that are gone or have changed, all at once: what was seen
   * under the old settings and is not recorded yet is seen anew.
   */
  configure({ folders }: Config): void {
    const names = new Set(folders.map(({ name }) => name))
    for (const name of [...this.#folders.keys()]) if (!names.has(name)) this.#letGo(name)
    for (const folder of folders) {
      const settings = JSON.stringify(folder)
      if (this.#kept.get(folder.name)?.settings === settings) continue
      this.#letGo(folder.name)
      this.#takeUp(folder, settings)
    }
  }

  wake(kind: 'look' | 'scan'): void {
    if (kind === 'look') this.#looker.wake()
    else for (const { keeper } of this.#kept.values()) keeper.wake()
  }

  /** Scan one folder, or all, now. */
  rescan(name?: string): void {
    for (const [other, { keeper }] of this.#kept) if (name === undefined || name === other) keeper.rescan()
  }

  areIdle(): boolean {
    return [...this.#kept.values()].every(({ keeper }) => keeper.isIdle())
  }

  /** Files that are being looked at and are not in the ledger yet. */
  inFlight(): number {
    return this.#intake.inFlight()
  }

  /** Begin nothing new. */
  stop(): void {
    this.#stop.abort()
  }

  /** After `stop`: resolves when what was begun has ended. */
  async ended(): Promise<void> {
    const keepers = [...this.#kept.values()].map(({ keeper }) => keeper.close())
    await Promise.all([this.#looker.ended, ...keepers, ...this.#leaving])
  }

  #takeUp(folder: FolderConfig, settings: string): void {
    const rules = createIgnoreRules(folder.path, folder)
    this.#folders.set(folder.name, { settings: folder, rules })
    if (this.#stop.signal.aborted || (this.#only && !this.#only.includes(folder.name))) return
    const ending = new AbortController()
    setMaxListeners(0, ending.signal)
    const end = () => ending.abort()
    this.#stop.signal.addEventListener('abort', end, { once: true })
    const keeper_tools = {
      ...this.#tools,
      intake: this.#intake,
      room: this.#room,
      turns: this.#turns,
      watching: this.#settings.watching,
      ...this.#settings.scan,
    }
    const keeper = keepFolder(folder, rules, keeper_tools, { watch: this.#watch, signal: ending.signal })
    this.#kept.set(folder.name, {
      keeper,
      settings,
      end: async () => {
        this.#stop.signal.removeEventListener('abort', end)
        end()
        await keeper.close()
      },
    })
  }

  #letGo(name: string): void {
    this.#folders.delete(name)
    const kept = this.#kept.get(name)
    if (!kept) return
    this.#kept.delete(name)
    const left = kept
      .end()
      .catch((error: unknown) => this.#tools.report.fault(`letting go of ${name}`, error))
      .finally(() => this.#leaving.delete(left))
    this.#leaving.add(left)
  }
}

interface Kept {
  keeper: FolderKeeper
  /** All that the keeper was made from, as a text to compare. */
  settings: string
  /** Resolves when what was begun has ended. */
  end(): Promise<void>
}
