import { freeMemory_bytes } from '../../base/run/process.ts'
import { formatDuration } from '../../base/text/format.ts'
import type { Clock } from '../../base/time/time.ts'
import { hasShareBelow } from '../../disk/root/mounts.ts'
import type { OnlineRoot } from '../../disk/root/root.ts'
import type { Silence } from '../../disk/root/root-asker.ts'
import { scanFolder } from '../../disk/scan/scan.ts'
import type { KeptScanThread } from '../../disk/scan/scan-threads.ts'
import {
  chooseWatcher,
  native_fault,
  type WatchChoice,
  type WatchFacts,
  type WatchShares,
} from '../../disk/watch/choose-watcher.ts'
import { inotifyLimit } from '../../disk/watch/watch-trouble.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { FolderSettings } from '../folder-settings.ts'
import type { WatcherLimits } from './missed-events.ts'
import type { PaceLimits } from './scan-pace.ts'

/** Constants under `watching` (config/schema/constants.ts). */
export type WatchingSettings = WatchShares &
  WatcherLimits &
  Omit<PaceLimits, 'rescan_interval_ms'> & {
    readonly root_check_ms: number
    readonly burst_events: number
    readonly directory_hints: number
    readonly given_up_rest_ms: number
  }

export type Counted = WatchFacts['counted']

export interface ChoiceFacts {
  folder: FolderSettings
  state: FolderState
  root: OnlineRoot
  watching: WatchingSettings
  room: WatchRoom
  clock: Clock
  scan_thread?: KeptScanThread
  silence?: Silence
  /** Why native watching failed here recently; undefined if it did not. */
  native_failed: string | undefined
  /** Count by a scan of this process; undefined: `countFor` counts as far as necessary. */
  counted: Counted | undefined
  signal: AbortSignal
}

/** Chooses the watcher and reserves its inotify watches. Reads no more than necessary. */
export async function chooseForFolder(facts: ChoiceFacts): Promise<WatchChoice> {
  const { folder, root, watching, room } = facts
  const known = {
    setting: folder.watch,
    filesystem: root.filesystem,
    remote: root.remote,
    share_below: !root.remote && hasShareBelow(folder.path),
    native_fault: facts.native_failed ?? native_fault,
    given_up: givenUp(facts),
  }
  const choiceOf = (counted: Counted) => {
    const inotify = { ...inotifyLimit('watches'), taken: room.takenBesides(folder.name) }
    return chooseWatcher(
      { ...known, inotify, free_memory_bytes: freeMemory_bytes(), counted },
      watching,
    )
  }
  // A folder that is scanned whatever it contains needs no count.
  const counted = choiceOf(none).watcher === 'scan' ? none : await countFor(facts)
  // One step reads the free watches and reserves them: at the start all folders choose at once.
  const choice = choiceOf(counted)
  room.take(folder.name, choice.watches)
  return choice
}

const none: Counted = { files: 0, directories: 0, is_lower_bound: false }

/** Why the native watcher was given up lately. */
function givenUp({ state, watching, clock }: ChoiceFacts): string | undefined {
  const given_up = state.watch?.given_up
  if (!given_up || clock.now_ms() >= given_up.since_ms + watching.given_up_rest_ms) return undefined
  return `${given_up.reason}; it is watched again ${formatDuration(watching.given_up_rest_ms)} after that`
}

/**
 * Uses the count of an earlier process if it is large. A small count may have grown since, and
 * chokidar would take minutes for a large folder, so it counts up to chokidar's limit. That is
 * fast, and does not wait for full scans of this disk.
 */
async function countFor({
  folder,
  state,
  watching,
  counted,
  scan_thread,
  silence,
  signal,
}: ChoiceFacts): Promise<Counted> {
  if (counted) return counted
  const known = state.counted
  if (known && known.files + known.directories > watching.chokidar_entries)
    return { ...known, is_lower_bound: false }
  const threads = scan_thread ? { threads: scan_thread } : {}
  const scan = { root: folder.path, ignore: folder, signal, silence, ...threads }
  let files = 0
  const { directories } = await scanFolder(scan, (batch, stop) => {
    files += batch.count
    if (files > watching.chokidar_entries) stop()
  })
  const is_lower_bound = files > watching.chokidar_entries
  return {
    files,
    directories: is_lower_bound ? (known?.directories ?? 0) : directories,
    is_lower_bound,
  }
}

export type WatchRoom = ReturnType<typeof createWatchRoom>

/** Inotify watches reserved by the folders of this process: the kernel counts them together. */
export function createWatchRoom() {
  const taken = new Map<string, number>()

  return {
    /** Replaces the folder's earlier reservation. */
    take: (folder: string, watches: number) => void taken.set(folder, watches),
    free: (folder: string) => void taken.delete(folder),
    takenBesides: (folder: string) =>
      [...taken].reduce((sum, [name, watches]) => (name === folder ? sum : sum + watches), 0),
  }
}
