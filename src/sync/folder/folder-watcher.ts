import { messageOf, SluiceError } from '../../base/run/errors.ts'
import { formatCount } from '../../base/text/format.ts'
import { minute_ms, second_ms } from '../../base/time/time.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import { isOtherDirectory, type OnlineRoot } from '../../disk/root/root.ts'
import type { IgnoreRules } from '../../disk/scan/ignore.ts'
import type { WatchChoice } from '../../disk/watch/choose-watcher.ts'
import {
  type FolderWatcher as DiskWatcher,
  type Hint,
  watchFolder,
} from '../../disk/watch/watch.ts'
import type { FolderEvent, ScanSummary } from '../../domain/fact.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { SyncReport } from '../report.ts'
import {
  createMissedEvents,
  createUnreadableDirectories,
  judgeWatcher,
  type MissedEvents,
  unproven,
  type WatcherProof,
} from './missed-events.ts'
import { type ChoiceFacts, type Counted, chooseForFolder } from './watch-choice.ts'

/** Wait before another try of a watcher that cannot start (inotify limit). */
const retry_ms = 10 * minute_ms
/** Minimum time between replacements of a stale watcher: each reads the whole tree. */
const renew_rest_ms = 10 * second_ms

type WatchedFolder = Omit<ChoiceFacts, 'state' | 'root' | 'native_failed' | 'counted'> & {
  rules: IgnoreRules
  examiner: Pick<Examiner, 'lstat'>
  report: SyncReport
  on_hint: (hint: Hint) => void
  record: (event: FolderEvent) => Promise<void>
}

/**
 * One folder's watcher. Its kind depends on the folder's contents and location. It starts when
 * needed, stops when the folder goes offline, and retries after a failed start. It knows whether
 * its silence means "no change". If a scan then finds changes, the watcher missed them. After
 * repeated misses it is replaced, and a native watcher finally gives way to scans.
 */
export function createFolderWatcher(watched: WatchedFolder) {
  const { folder, rules, clock, report, room, signal, watching, on_hint } = watched
  const shut = createUnreadableDirectories(folder.path, watched)
  let chosen: WatchChoice | undefined
  let disk_watcher: DiskWatcher | undefined
  let watched_root: OnlineRoot | undefined
  /** Monotonic ms, like those below. After chokidar failed, no watcher starts before this. */
  let not_before_ms = Number.NEGATIVE_INFINITY
  let renew_from_ms = Number.NEGATIVE_INFINITY
  let native_fault: string | undefined
  let native_retry_ms = Number.NEGATIVE_INFINITY
  let choose_again = false
  let last_counted: Counted | undefined
  /** True if a scan has ended, and since its start every event was reported and handled. */
  let is_trusted = false
  let is_doubted = true
  let scan_missed: MissedEvents | undefined
  let hints_total = 0
  let proof: WatcherProof = unproven
  /** Last change of kind due to the count; the same change is not made twice in a row. */
  let refitted: 'more' | 'fewer' | undefined

  async function beginWatch(
    now_ms: number,
    state: FolderState,
    root: OnlineRoot,
  ): Promise<boolean> {
    await giveUpStale(now_ms, root)
    if (now_ms >= native_retry_ms) native_fault = undefined
    if (disk_watcher) await recordTrouble(disk_watcher, state)
    if (disk_watcher || now_ms < not_before_ms) return false
    // After the native watcher failed, the second choice differs.
    for (let attempt = 0; attempt < 2 && now_ms >= not_before_ms; attempt += 1) {
      const choice = await choose(state, root)
      if (choice === undefined || choice.watcher === 'scan') return false
      if (await start(choice.watcher, now_ms)) {
        watched_root = root
        return true
      }
      if (signal.aborted) return false
    }
    return false
  }

  function covers(): 'all' | 'part' | 'none' {
    if (disk_watcher !== undefined && disk_watcher.trouble() === undefined) return 'all'
    return chosen?.watcher === 'scan' ? 'none' : 'part'
  }

  /** Events may be lost, or were not handled. The next scan finds their changes. */
  function doubt(): void {
    is_trusted = false
    is_doubted = true
  }

  async function stop(): Promise<void> {
    const watcher = disk_watcher
    disk_watcher = undefined
    chosen = undefined
    watched_root = undefined
    room.free(folder.name)
    doubt()
    await watcher?.close()
  }

  async function isOneOpen(): Promise<boolean> {
    try {
      return await shut.isOneOpen()
    } catch (error) {
      // The root went offline, or the process ends: others report that.
      if (!(error instanceof SluiceError)) throw error
      return false
    }
  }

  async function choose(state: FolderState, root: OnlineRoot): Promise<WatchChoice | undefined> {
    if (chosen && !choose_again) return chosen
    const native_failed = native_fault
    const counted = last_counted
    const choice = await chooseForFolder({ ...watched, state, root, native_failed, counted })
    if (signal.aborted) return undefined
    chosen = choice
    choose_again = false
    const { watcher, reason } = choice
    const known = state.watch
    if (known?.watcher !== watcher || known.reason !== reason) {
      await recordWatch(choice)
      const how = watcher === 'scan' ? 'is scanned, not watched' : 'is watched'
      if (known?.watcher !== watcher) report.folder(folder.name, `${how}: ${reason}`, 'info')
    }
    return choice
  }

  /** Records what the watcher does not cover, unless it is stale and soon replaced. */
  async function recordTrouble(watcher: DiskWatcher, { watch }: FolderState): Promise<void> {
    if (!chosen || watch?.watcher !== chosen.watcher || watcher.isStale()) return
    const reason = [chosen.reason, watcher.trouble()]
      .filter((part) => part !== undefined)
      .join('; ')
    if (watch.reason === reason) return
    await recordWatch({ watcher: watch.watcher, reason })
  }

  async function start(watcher: 'chokidar' | 'native', now_ms: number): Promise<boolean> {
    const hear = (hint: Hint) => {
      if (hint.kind !== 'doubtful') hints_total += 1
      on_hint(hint)
    }
    const { burst_events } = watching
    try {
      const root = folder.path
      disk_watcher = await watchFolder({
        root,
        watcher,
        rules,
        burst_events,
        on_hint: hear,
        signal,
      })
      native_fault = undefined
      return true
    } catch (error) {
      if (signal.aborted) return false
      report.fault(`watching ${folder.name} by ${watcher}`, error)
      chosen = undefined
      if (watcher === 'native') {
        // The other kind of watcher may work, so try it at once.
        native_fault = messageOf(error)
        native_retry_ms = now_ms + retry_ms
      } else not_before_ms = now_ms + retry_ms
      return false
    }
  }

  /** Replaces a watcher that gets no more events: its root was replaced, or it is stale itself. */
  async function giveUpStale(now_ms: number, root: OnlineRoot): Promise<void> {
    if (!disk_watcher || now_ms < renew_from_ms) return
    const is_other = watched_root === undefined || isOtherDirectory(watched_root, root)
    if (!disk_watcher.isStale() && !is_other) return
    renew_from_ms = now_ms + renew_rest_ms
    await renew(
      is_other ? 'its root is another directory now' : 'the watched directory was deleted or moved',
    )
  }

  async function renew(why: string): Promise<void> {
    if (chosen) await recordWatch(chosen, { replaced: why })
    report.folder(folder.name, `gets a new watcher: ${why}`, 'info')
    await stop()
  }

  async function giveUp(count: string): Promise<void> {
    const reason = `the native watcher missed ${count} again after it was replaced`
    await recordWatch({ watcher: 'scan', reason }, { given_up: reason })
    report.folder(folder.name, `is scanned from now on: ${reason}`, 'warn')
    await stop()
  }

  /**
   * `more`: the scan counted too many entries for chokidar. `fewer`: so few that chokidar is right
   * again, well below the limit, so that the kind of watcher does not alternate.
   */
  function fitsNoMore(): 'more' | 'fewer' | undefined {
    if (folder.watch !== 'auto' || !chosen || !last_counted) return undefined
    const entries = last_counted.files + last_counted.directories
    const is_native = chosen.watcher === 'native'
    if (!is_native && chosen.watcher !== 'scan' && entries > watching.chokidar_entries)
      return 'more'
    return is_native && entries * 2 < watching.chokidar_entries ? 'fewer' : undefined
  }

  async function recordWatch(
    { watcher, reason }: Pick<WatchChoice, 'watcher' | 'reason'>,
    found: { replaced?: string; given_up?: string } = {},
  ): Promise<void> {
    await watched.record({ type: 'folder_watched', folder: folder.name, watcher, reason, ...found })
  }

  return {
    /**
     * `now_ms`: monotonic. True if watching has begun, or can begin for more of the folder: a scan
     * must find earlier changes. Rejects only if the ledger does.
     */
    async keepOn(now_ms: number, state: FolderState, root: OnlineRoot): Promise<boolean> {
      const is_open = await isOneOpen()
      if (is_open) await stop()
      return (await beginWatch(now_ms, state, root)) || is_open
    },
    covers,
    doubt,
    /** Counts changes missed before this scan; undefined if events may be lost or unhandled. */
    scanBegins({ all_followed }: { all_followed: boolean }): MissedEvents | undefined {
      const covers_all = covers() === 'all'
      const should_report_all = is_trusted && all_followed && covers_all
      is_doubted = !covers_all
      // A file found by every scan could not be recorded, so the watcher did not miss it.
      const known = scan_missed?.found() ?? new Set<string>()
      const options = { root: folder.path, settle_ms: folder.settle_ms, clock, known }
      scan_missed = should_report_all ? createMissedEvents(options) : undefined
      return scan_missed
    },
    /** Judges the watcher by the missed changes, and the choice by the count. */
    async scanEnded(summary: ScanSummary): Promise<void> {
      const { missed, files, directories } = summary
      shut.scanEnded(summary)
      is_trusted = covers() === 'all' && !is_doubted
      last_counted = { files, directories, is_lower_bound: false }
      if (missed !== undefined) {
        const count = missed === 1 ? 'a file' : `${formatCount(missed)} files`
        if (missed > 0)
          report.folder(
            folder.name,
            `had ${count} that the scan found and the watcher missed`,
            'info',
          )
        const judged = judgeWatcher(proof, { reported: hints_total, missed }, watching)
        proof = judged.proof
        // Chokidar sometimes misses changes, which the scans find. It is only replaced.
        const { verdict } = judged
        if (verdict === 'give_up' && chosen?.watcher === 'native') await giveUp(count)
        else if (verdict === 'give_up' || verdict === 'replace')
          await renew(`a scan found ${count} that it missed`)
      }
      hints_total = 0
      // The reason for scans alone may be gone.
      choose_again = chosen?.watcher === 'scan'
      const change = fitsNoMore()
      if (change === undefined || change === refitted) return
      refitted = change
      await stop()
    },
    stop,
  }
}
