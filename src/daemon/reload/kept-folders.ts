import { setMaxListeners } from 'node:events'
import type { Config, FolderConfig } from '../../config/config.ts'
import { createIgnoreRules } from '../../disk/scan/ignore.ts'
import { createDeviceTurns } from '../../sync/folder/device-turns.ts'
import { type FolderKeeper, keepFolder } from '../../sync/folder/folder-keeper.ts'
import { createWatchRoom } from '../../sync/folder/watch-choice.ts'
import { startChecker } from '../../sync/intake/checker.ts'
import { createIntake, type IntakeFolder } from '../../sync/intake/intake.ts'
import type { Tools } from '../tools.ts'

interface Kept {
  keeper: FolderKeeper
  /** All that the keeper was made from, as a text to compare. */
  settings: string
  /** Resolves when what was begun has ended. */
  end(): Promise<void>
}

export type KeptFolders = ReturnType<typeof keepFolders>

/**
 * The disk's side of the daemon: who keeps each folder, and the one intake for all. It lives as long as the process; a folder
 * whose settings stay the same keeps its keeper and its watcher through every reload, and is not scanned for it. `only`: keep
 * these alone.
 */
export function keepFolders(
  tools: Tools,
  { scan, watching }: Pick<Config, 'scan' | 'watching'>,
  { watch, only }: { watch: boolean; only: readonly string[] | undefined },
) {
  const stop = new AbortController()
  // Every keeper and walk listens to it: many, and bounded by the number of folders.
  setMaxListeners(0, stop.signal)
  /** Of every folder in force, whether it is kept here or not. */
  const in_force = new Map<string, IntakeFolder>()
  const kept = new Map<string, Kept>()
  /** Told to end, and not there yet: a scan of a share that hangs may take long. */
  const leaving = new Set<Promise<void>>()
  const intake = createIntake({ ...tools, ...scan, folders: in_force })
  const checker = startChecker({ ...tools, intake }, stop.signal)
  const keeper_tools = { ...tools, ...scan, intake, watching, room: createWatchRoom(), turns: createDeviceTurns() }

  function takeUp(folder: FolderConfig, settings: string): void {
    const rules = createIgnoreRules(folder.path, folder)
    in_force.set(folder.name, { settings: folder, rules })
    if (stop.signal.aborted || (only && !only.includes(folder.name))) return
    const ending = new AbortController()
    setMaxListeners(0, ending.signal)
    const end = () => ending.abort()
    stop.signal.addEventListener('abort', end, { once: true })
    const keeper = keepFolder(folder, rules, keeper_tools, { watch, signal: ending.signal })
    kept.set(folder.name, {
      keeper,
      settings,
      async end() {
        stop.signal.removeEventListener('abort', end)
        end()
        await keeper.close()
      },
    })
  }

  function letGo(name: string): void {
    in_force.delete(name)
    const one = kept.get(name)
    if (!one) return
    kept.delete(name)
    const left = one
      .end()
      .catch((error: unknown) => tools.report.fault(`letting go of ${name}`, error))
      .finally(() => leaving.delete(left))
    leaving.add(left)
  }

  return {
    /** Those in force now; a copy, for who began under them and must end under them. */
    settings: (): ReadonlyMap<string, IntakeFolder> => new Map(in_force),
    /**
     * Takes up folders that are new or have changed and lets go of those that are gone or have
     * changed, all at once: what was seen under the old settings and is not recorded yet is seen
     * anew.
     */
    configure({ folders }: Config): void {
      const names = new Set(folders.map(({ name }) => name))
      for (const name of [...in_force.keys()]) if (!names.has(name)) letGo(name)
      for (const folder of folders) {
        const settings = JSON.stringify(folder)
        if (kept.get(folder.name)?.settings === settings) continue
        letGo(folder.name)
        takeUp(folder, settings)
      }
    },
    wake(kind: 'look' | 'scan'): void {
      if (kind === 'look') checker.wake()
      else for (const { keeper } of kept.values()) keeper.wake()
    },
    /** Scan one folder, or all, now. */
    rescan(name?: string): void {
      for (const [other, { keeper }] of kept) if (name === undefined || name === other) keeper.rescan()
    },
    areIdle: () => [...kept.values()].every(({ keeper }) => keeper.isIdle()),
    /** Files that are being looked at and are not in the ledger yet. */
    inFlight: () => intake.inFlight(),
    /** Begin nothing new. */
    stop: () => stop.abort(),
    /** After `stop`: resolves when what was begun has ended. */
    async ended(): Promise<void> {
      const keepers = [...kept.values()].map(({ keeper }) => keeper.close())
      await Promise.all([checker.ended, ...keepers, ...leaving])
    },
  }
}
