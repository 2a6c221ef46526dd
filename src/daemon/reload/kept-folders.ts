import { setMaxListeners } from 'node:events'
import type { Config, FolderConfig } from '../../config/config.ts'
import { createIgnoreRules } from '../../disk/scan/ignore.ts'
import { createDeviceTurns } from '../../sync/folder/device-turns.ts'
import { type FolderKeeper, keepFolder } from '../../sync/folder/folder-keeper.ts'
import { createWatchRoom } from '../../sync/folder/watch-choice.ts'
import type { IntakeFolder } from '../../sync/folder-settings.ts'
import { startChecker } from '../../sync/intake/checker.ts'
import { createIntake } from '../../sync/intake/intake.ts'
import type { Tools } from '../tools.ts'

interface Kept {
  keeper: FolderKeeper
  /** Settings of the keeper as JSON, to compare. */
  settings: string
  ending: AbortController
}

export type KeptFolders = ReturnType<typeof keepFolders>

/**
 * Keeps the folders on disk: one keeper per folder, and one intake for all. It lives as long as the
 * process. A folder with unchanged settings keeps its keeper and watcher through every reload, and
 * no extra scan runs. `only`: names of the folders to keep; undefined for all.
 */
export function keepFolders(
  tools: Tools,
  { scan, watching }: Pick<Config, 'scan' | 'watching'>,
  { watch, only }: { watch: boolean; only: readonly string[] | undefined },
) {
  const stop = new AbortController()
  // Every check listens to this signal; their number is bounded by that of the folders.
  setMaxListeners(0, stop.signal)
  /** All folders in force, whether this process keeps them or not. */
  const in_force = new Map<string, IntakeFolder>()
  const kept = new Map<string, Kept>()
  /** Stopped keepers that have not ended: a scan of an unresponsive mount may take long. */
  const leaving = new Set<Promise<void>>()
  const intake = createIntake({ ...tools, ...scan, folders: in_force })
  const checker = startChecker({ ...tools, intake }, stop.signal)
  const keeper_tools = {
    ...tools,
    ...scan,
    intake,
    watching,
    room: createWatchRoom(),
    turns: createDeviceTurns(),
  }

  function startKeeping(folder: FolderConfig, settings: string): void {
    const rules = createIgnoreRules(folder.path, folder)
    in_force.set(folder.name, { settings: folder, rules })
    if (stop.signal.aborted || (only && !only.includes(folder.name))) return
    const ending = new AbortController()
    const signal = AbortSignal.any([stop.signal, ending.signal])
    // Workers, walks and the watcher of the folder listen to it.
    setMaxListeners(0, signal)
    kept.set(folder.name, {
      keeper: keepFolder(folder, rules, keeper_tools, { watch, signal }),
      settings,
      ending,
    })
  }

  function stopKeeping(name: string): void {
    in_force.delete(name)
    const one = kept.get(name)
    if (!one) return
    kept.delete(name)
    one.ending.abort()
    const left = one.keeper
      .close()
      .catch((error: unknown) =>
        tools.report.fault(`stopping the work on the folder ${name}`, error),
      )
      .finally(() => leaving.delete(left))
    leaving.add(left)
  }

  return {
    /** Settings in force now; a copy, because work that begins under them must end under them. */
    settings: (): ReadonlyMap<string, IntakeFolder> => new Map(in_force),
    /**
     * Starts keepers for new and changed folders, and stops those of removed and changed ones, all
     * in one step. Results under the old settings that are not recorded yet are found again.
     */
    configure({ folders }: Config): void {
      const names = new Set(folders.map(({ name }) => name))
      for (const name of [...in_force.keys()]) {
        if (!names.has(name)) stopKeeping(name)
      }
      for (const folder of folders) {
        const settings = JSON.stringify(folder)
        if (kept.get(folder.name)?.settings === settings) continue
        stopKeeping(folder.name)
        startKeeping(folder, settings)
      }
    },
    wake(kind: 'check' | 'scan'): void {
      if (kind === 'check') checker.wake()
      else for (const { keeper } of kept.values()) keeper.wake()
    },
    /** Scans one folder now; all folders without a name. */
    rescan(name?: string): void {
      for (const [other, { keeper }] of kept) {
        if (name === undefined || name === other) keeper.rescan()
      }
    },
    areIdle: () => [...kept.values()].every(({ keeper }) => keeper.isIdle()),
    /** Files in a check that are not in the ledger yet. */
    inFlight: () => intake.inFlight(),
    stop: () => stop.abort(),
    /** After `stop`: resolves when all running work is over. */
    async ended(): Promise<void> {
      const keepers = [...kept.values()].map(({ keeper }) => keeper.close())
      await Promise.all([checker.ended, ...keepers, ...leaving])
    },
  }
}
