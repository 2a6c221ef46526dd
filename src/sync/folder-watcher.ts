import { messageOf, SluiceError } from '../base/errors.ts'
import { formatCount } from '../base/format.ts'
import { minute_ms, second_ms } from '../base/time.ts'
import type { WatchChoice } from '../disk/choose-watcher.ts'
import type { Examiner } from '../disk/examiner.ts'
import type { IgnoreRules } from '../disk/ignore.ts'
import { isOtherDirectory, type OnlineRoot } from '../disk/mount.ts'
import { type FolderWatcher as DiskWatcher, type Hint, watchFolder } from '../disk/watch.ts'
import type { FolderEvent, ScanSummary } from '../domain/fact.ts'
import type { FolderState } from '../ledger/ledger.ts'
import { type Hearing, judgeHearing, MissedEvents, unproven } from './missed-events.ts'
import type { SyncReport } from './report.ts'
import { ShutDirectories } from './shut-directories.ts'
import { type ChoiceFacts, type Counted, chooseForFolder } from './watch-choice.ts'

/** A watcher that cannot start (inotify limit) is tried again after this. */
const retry_ms = 10 * minute_ms
/** One whose paths are not right any more is made anew at most so often: it reads the whole tree. */
const renew_rest_ms = 10 * second_ms

type WatchedFolder = Omit<ChoiceFacts, 'state' | 'root' | 'native_failed' | 'counted'> & {
  rules: IgnoreRules
  examiner: Pick<Examiner, 'lstat'>
  report: SyncReport
  on_hint: (hint: Hint) => void
  record: (event: FolderEvent) => Promise<void>
}

/**
 * One folder's watcher, chosen by what is in the folder and where it lies, made when it is needed, given up when the folder goes
 * away, tried again where it could not start. It knows whether its silence means anything: then what a scan finds is what it
 * missed, and one that misses again and again is made anew, and our own at last given up for scans alone.
 */
export class FolderWatcher {
  readonly #watched: WatchedFolder
  readonly #shut: ShutDirectories
  #choice: WatchChoice | undefined
  #watcher: DiskWatcher | undefined
  /** As it stood when watching began. */
  #root: OnlineRoot | undefined
  /** By the monotonic clock. */
  #not_before_ms = Number.NEGATIVE_INFINITY
  #renew_from_ms = Number.NEGATIVE_INFINITY
  #native_failed: string | undefined
  #native_retry_ms = Number.NEGATIVE_INFINITY
  #choose_again = false
  #counted: Counted | undefined
  /** A scan has ended, and from its beginning on everything was told and followed. */
  #is_trusted = false
  #is_doubted = true
  #missed: MissedEvents | undefined
  #told = 0
  #hearing: Hearing = unproven
  /** The last change of the choice by count; the same is not tried twice in a row. */
  #refitted: 'more' | 'fewer' | undefined

  constructor(watched: WatchedFolder) {
    this.#watched = watched
    this.#shut = new ShutDirectories(watched.folder.path, watched)
  }

  /**
   * `now_ms`: monotonic. True when watching has begun, or may begin for more of the folder: what happened before is for a scan to
   * find. Rejects only where the ledger does.
   */
  async keepOn(now_ms: number, state: FolderState, root: OnlineRoot): Promise<boolean> {
    const is_open = await this.#isOneOpen()
    if (is_open) await this.stop()
    return (await this.#watch(now_ms, state, root)) || is_open
  }

  async #watch(now_ms: number, state: FolderState, root: OnlineRoot): Promise<boolean> {
    await this.#giveUpStale(now_ms, root)
    if (now_ms >= this.#native_retry_ms) this.#native_failed = undefined
    if (this.#watcher) await this.#tellTrouble(this.#watcher, state)
    if (this.#watcher || now_ms < this.#not_before_ms) return false
    // Where the native one fails, the second choice is another.
    for (let attempt = 0; attempt < 2 && now_ms >= this.#not_before_ms; attempt += 1) {
      const choice = await this.#choose(state, root)
      if (choice === undefined || choice.watcher === 'scan') return false
      if (await this.#start(choice.watcher, now_ms)) {
        this.#root = root
        return true
      }
      if (this.#watched.signal.aborted) return false
    }
    return false
  }

  covers(): 'all' | 'part' | 'none' {
    if (this.#watcher !== undefined && this.#watcher.trouble() === undefined) return 'all'
    return this.#choice?.watcher === 'scan' ? 'none' : 'part'
  }

  /** Events may be lost, or were told and not followed: the next scan finds what they were about. */
  doubt(): void {
    this.#is_trusted = false
    this.#is_doubted = true
  }

  /** Counts what should have been told before this scan; undefined where silence means nothing. */
  scanBegins({ all_followed }: { all_followed: boolean }): MissedEvents | undefined {
    const { folder, clock } = this.#watched
    const covers_all = this.covers() === 'all'
    const is_heard = this.#is_trusted && all_followed && covers_all
    this.#is_doubted = !covers_all
    // What is found again and again cannot be recorded: that is no event.
    const known = this.#missed?.found() ?? new Set<string>()
    const options = { root: folder.path, settle_ms: folder.settle_ms, clock, known }
    this.#missed = is_heard ? new MissedEvents(options) : undefined
    return this.#missed
  }

  /** Judges the watcher by what the scan found against it, and the choice by what it counted. */
  async scanEnded(summary: ScanSummary): Promise<void> {
    const { missed, files, directories } = summary
    this.#shut.scanEnded(summary)
    const { folder, report, watching } = this.#watched
    this.#is_trusted = this.covers() === 'all' && !this.#is_doubted
    this.#counted = { files, directories, is_least: false }
    if (missed !== undefined) {
      const count = missed === 1 ? 'a file' : `${formatCount(missed)} files`
      if (missed > 0) report.folder(folder.name, `has ${count} that the scan found and the watcher missed`, 'info')
      const { hearing, verdict } = judgeHearing(this.#hearing, { told: this.#told, missed }, watching)
      this.#hearing = hearing
      // What chokidar is known to miss now and then the scans find: it stays, made anew.
      const is_given_up = verdict === 'deaf' && this.#choice?.watcher === 'native'
      if (is_given_up) await this.#giveUp(count)
      else if (verdict === 'rebuild' || verdict === 'deaf') await this.#renew(`a scan found ${count} that it missed`)
    }
    this.#told = 0
    // What stood against watching may be gone.
    this.#choose_again = this.#choice?.watcher === 'scan'
    const change = this.#fitsNoMore()
    if (change === undefined || change === this.#refitted) return
    this.#refitted = change
    await this.stop()
  }

  async stop(): Promise<void> {
    const watcher = this.#watcher
    this.#watcher = undefined
    this.#choice = undefined
    this.#root = undefined
    this.#watched.room.free(this.#watched.folder.name)
    this.doubt()
    await watcher?.close()
  }

  async #isOneOpen(): Promise<boolean> {
    try {
      return await this.#shut.isOneOpen()
    } catch (error) {
      // The root went away meanwhile, or the process ends: others say so.
      if (!(error instanceof SluiceError)) throw error
      return false
    }
  }

  async #choose(state: FolderState, root: OnlineRoot): Promise<WatchChoice | undefined> {
    if (this.#choice && !this.#choose_again) return this.#choice
    const { folder, report } = this.#watched
    const [native_failed, counted] = [this.#native_failed, this.#counted]
    const choice = await chooseForFolder({ ...this.#watched, state, root, native_failed, counted })
    if (this.#watched.signal.aborted) return undefined
    this.#choice = choice
    this.#choose_again = false
    const { watcher, reason } = choice
    const known = state.watch
    if (known?.watcher !== watcher || known.reason !== reason) {
      await this.#record(choice)
      const how = watcher === 'scan' ? 'is scanned, not watched' : `is watched by ${watcher}`
      if (known?.watcher !== watcher) report.folder(folder.name, `${how}: ${reason}`, 'info')
    }
    return choice
  }

  /** What it does not hear stands beside the reason for it, for as long as it is so; one that is stale is soon another. */
  async #tellTrouble(watcher: DiskWatcher, { watch }: FolderState): Promise<void> {
    if (!this.#choice || watch?.watcher !== this.#choice.watcher || watcher.isStale()) return
    const reason = [this.#choice.reason, watcher.trouble()].filter((part) => part !== undefined).join('; ')
    if (watch.reason === reason) return
    await this.#record({ watcher: watch.watcher, reason })
  }

  async #start(watcher: 'chokidar' | 'native', now_ms: number): Promise<boolean> {
    const { folder, rules, report, on_hint, signal, watching } = this.#watched
    const hear = (hint: Hint) => {
      if (hint.kind !== 'doubtful') this.#told += 1
      on_hint(hint)
    }
    const { burst_events } = watching
    try {
      const root = folder.path
      this.#watcher = await watchFolder({ root, watcher, rules, burst_events, on_hint: hear, signal })
      this.#native_failed = undefined
      return true
    } catch (error) {
      if (signal.aborted) return false
      report.fault(`watching ${folder.name} by ${watcher}`, error)
      this.#choice = undefined
      if (watcher === 'native') {
        // The other one may do, at once.
        this.#native_failed = messageOf(error)
        this.#native_retry_ms = now_ms + retry_ms
      } else this.#not_before_ms = now_ms + retry_ms
      return false
    }
  }

  /** Deaf without knowing it: its root is another one by now; or it knows that it is. */
  async #giveUpStale(now_ms: number, root: OnlineRoot): Promise<void> {
    if (!this.#watcher || now_ms < this.#renew_from_ms) return
    const is_other = this.#root === undefined || isOtherDirectory(this.#root, root)
    if (!this.#watcher.isStale() && !is_other) return
    this.#renew_from_ms = now_ms + renew_rest_ms
    await this.#renew(is_other ? 'another directory stands at its root' : 'what it watched was taken away or moved')
  }

  async #renew(why: string): Promise<void> {
    const { folder, report } = this.#watched
    if (this.#choice) await this.#record(this.#choice, { rebuilt: why })
    report.folder(folder.name, `has its watcher made anew: ${why}`, 'info')
    await this.stop()
  }

  async #giveUp(count: string): Promise<void> {
    const { folder, report } = this.#watched
    const deaf = `native proved deaf: after it had been made anew a scan found ${count} that it missed`
    await this.#record({ watcher: 'scan', reason: deaf }, { deaf })
    report.folder(folder.name, `is scanned from now on: ${deaf}`, 'warn')
    await this.stop()
  }

  /** By what the scan counted; well below the bound before it goes back, so that it does not go to and fro. */
  #fitsNoMore(): 'more' | 'fewer' | undefined {
    const { folder, watching } = this.#watched
    if (folder.watch !== 'auto' || !this.#choice || !this.#counted) return undefined
    const entries = this.#counted.files + this.#counted.directories
    const is_native = this.#choice.watcher === 'native'
    if (!is_native && this.#choice.watcher !== 'scan' && entries > watching.chokidar_entries) return 'more'
    return is_native && entries * 2 < watching.chokidar_entries ? 'fewer' : undefined
  }

  async #record(
    { watcher, reason }: Pick<WatchChoice, 'watcher' | 'reason'>,
    found: { rebuilt?: string; deaf?: string } = {},
  ): Promise<void> {
    const { folder, record } = this.#watched
    await record({ type: 'folder_watched', folder: folder.name, watcher, reason, ...found })
  }
}
