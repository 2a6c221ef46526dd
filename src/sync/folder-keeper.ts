import { type Clock, minute_ms, second_ms } from '../base/time.ts'
import { runWorker, type Worker } from '../base/worker.ts'
import type { Examiner } from '../disk/examiner.ts'
import type { IgnoreRules } from '../disk/ignore.ts'
import { type OnlineRoot, wordOn } from '../disk/mount.ts'
import { withKnownId } from '../disk/root-identity.ts'
import { type RootTrust, rootChange, trustInRoot } from '../disk/root-trust.ts'
import type { Hint } from '../disk/watch.ts'
import { filesThere, isBeyondWord, knownBefore, waitingText } from '../domain/disappearance.ts'
import type { FolderEvent } from '../domain/fact.ts'
import type { FolderState, Ledger } from '../ledger/ledger.ts'
import type { FolderSettings } from './folder-settings.ts'
import { FolderWatcher } from './folder-watcher.ts'
import { followHints } from './follow-verdict.ts'
import { HintQueue } from './hint-queue.ts'
import type { Intake } from './intake.ts'
import type { SyncReport } from './report.ts'
import { change_texts, isAskedAbout, isComparing, RootDoubt, type RootVerdict } from './root-doubt.ts'
import { type ScanTools, scanOnce } from './scan-folder.ts'
import { isJudgementWanted, isScanWanted, ScanTimer } from './scan-timer.ts'
import type { WatchingSettings, WatchRoom } from './watch-choice.ts'

export interface KeeperTools extends ScanTools {
  ledger: Ledger
  intake: Intake
  clock: Clock
  report: SyncReport
  examiner: Pick<Examiner, 'lstat'>
  watching: WatchingSettings
  room: WatchRoom
  max_hints: number
}

export interface FolderKeeper {
  /** Scan again, now. */
  rescan(): void
  /** Ask the ledger whether a scan is wanted. */
  wake(): void
  /** True when nothing is being looked at, and the last asked scan is over (or the folder is offline). */
  isIdle(): boolean
  close(): Promise<void>
}

interface KeepOptions {
  watch: boolean
  signal: AbortSignal
}

/** How often an offline folder is looked at, and an online one for whether it still is the same. */
const root_look_ms = 5 * second_ms
const hints_at_once = 500

/**
 * Keeps one folder: is it there, what changed, and is anything missed? The watcher only hints; the scan is the truth. Watching
 * begins before the scan, so that nothing falls between.
 */
export function keepFolder(
  folder: FolderSettings,
  rules: IgnoreRules,
  tools: KeeperTools,
  options: KeepOptions,
): FolderKeeper {
  return new Keeper(folder, rules, tools, options)
}

class Keeper implements FolderKeeper {
  readonly #folder: FolderSettings
  readonly #rules: IgnoreRules
  readonly #tools: KeeperTools
  readonly #signal: AbortSignal
  readonly #hints: HintQueue
  readonly #scanner: Worker
  readonly #hinter: Worker
  /** Absent where scans alone keep the folder. */
  readonly #watcher: FolderWatcher | undefined
  readonly #timer: ScanTimer
  readonly #doubt: RootDoubt
  #scan_asked = true
  #busy = true
  #looking = false
  #is_online = false
  #is_first_check = true

  constructor(folder: FolderSettings, rules: IgnoreRules, tools: KeeperTools, { watch, signal }: KeepOptions) {
    this.#folder = folder
    this.#rules = rules
    this.#tools = tools
    this.#signal = signal
    this.#hints = new HintQueue({ max_hints: tools.max_hints, directory_hints: tools.watching.directory_hints })
    this.#timer = new ScanTimer(tools.clock, { ...tools.watching, rescan_interval_ms: folder.rescan_interval_ms })
    this.#doubt = new RootDoubt(folder, tools)
    const on_hint = (hint: Hint) => this.#takeHint(hint)
    const record = (event: FolderEvent) => this.#record(event)
    this.#watcher = watch ? new FolderWatcher({ ...tools, folder, rules, on_hint, record, signal }) : undefined
    const worker = (name: string, step: () => Promise<{ wait_ms: number }>) =>
      runWorker({
        name: `${name} ${folder.name}`,
        step,
        clock: tools.clock,
        signal,
        on_error: (error) => tools.report.fault(`${name} ${folder.name}`, error),
      })
    this.#scanner = worker('scanner', () => this.#keep())
    this.#hinter = worker('hints', () => this.#followHints())
  }

  rescan(): void {
    this.#timer.noRest()
    this.#doubt.forget()
    this.#askForScan()
  }

  wake(): void {
    this.#scanner.wake()
  }

  isIdle(): boolean {
    return !this.#busy && !this.#looking && (this.#hints.isEmpty() || !this.#is_online)
  }

  async close(): Promise<void> {
    await Promise.all([this.#scanner.ended, this.#hinter.ended])
    await this.#watcher?.stop()
  }

  async #keep(): Promise<{ wait_ms: number }> {
    const found = await this.#checkRoot()
    if (!found) {
      this.#busy = false
      return { wait_ms: root_look_ms }
    }
    const { state, root } = found
    if (await this.#watcher?.keepOn(this.#tools.clock.monotonic_ms(), state, root)) this.#scan_asked = true
    const is_wanted = isScanWanted(state, this.#tools.clock.now_ms())
    if (is_wanted) {
      this.#scan_asked = true
      this.#busy = true
    }
    const why = is_wanted ? 'wanted' : 'doubt'
    if (this.#isScanDue() && this.#timer.restsFor_ms(why) <= 0) await this.#scan(root)
    if (!this.#scan_asked) this.#busy = false
    // One that is due rests as well: a scan that could not be recorded is due from its end on.
    const soon_ms = Math.max(this.#scan_asked ? 0 : this.#timer.dueIn_ms(), this.#timer.restsFor_ms(why))
    return { wait_ms: Math.max(1, Math.min(root_look_ms, soon_ms)) }
  }

  #isScanDue(): boolean {
    return this.#scan_asked || this.#timer.dueIn_ms() <= 0
  }

  /** The folder's state when it is there and may be believed; undefined while it is offline. */
  async #checkRoot(): Promise<{ state: FolderState; root: OnlineRoot } | undefined> {
    const { ledger, roots, answer_ms, empty_folder_files } = this.#tools
    const name = this.#folder.name
    const state = await ledger.folder(name)
    if (!state) return undefined
    const doubtful = !state.online || this.#isScanDue()
    const status = await roots.status(this.#folder.path, answer_ms, { doubtful })
    if (status.kind === 'offline') return this.#goOffline(state, { reason: `${status.reason}: ${status.detail}` })
    const known = knownBefore(state)
    const here = { device: status.device, identity: withKnownId(state.identity, status.identity) }
    const word = wordOn(status, state.disappearance)
    if (status.empty && known > empty_folder_files && !(word && !isBeyondWord(word, 0, this.#tools))) {
      const reason = `it is empty, ${waitingText(name, { known, missing: known, files: 0 })}`
      return this.#goOffline(state, { reason, found: { ...here, files: 0 } })
    }
    const was = { ...state, is_first_check: this.#is_first_check }
    const trust = trustInRoot(was, status, known > empty_folder_files)
    // After an acknowledgement the scan counts whether that still covers what is found.
    if (trust !== 'trusted' && !word) {
      const doubt = await this.#doubtAbout(status, state, trust)
      if (doubt !== undefined) return this.#goOffline(state, doubt)
    }
    this.#doubt.forget()
    const online = { type: 'folder_online', folder: name, ...here } as const
    if (!state.online || rootChange(state, status) !== 'none') {
      await this.#record(online)
      if (!state.online && state.device !== undefined) this.#tools.report.folder(name, 'is back', 'info')
      await this.#watcher?.stop()
      this.#scan_asked = true
    } else if (here.identity !== undefined && here.identity !== state.identity) await this.#record(online)
    this.#is_online = true
    this.#is_first_check = false
    return { state, root: status }
  }

  /** Why what stands here now is not believed; while it is compared the folder is offline: nobody looks into it. */
  async #doubtAbout(now: OnlineRoot, state: FolderState, trust: RootTrust): Promise<RootVerdict | undefined> {
    const remembered = this.#doubt.remembered(now)
    if (remembered) return remembered
    this.#busy = true
    this.#is_online = false
    if (state.online) await this.#recordOffline({ reason: change_texts[rootChange(state, now)].comparing })
    return this.#doubt.compare(now, { state, trust, signal: this.#signal })
  }

  async #goOffline(state: FolderState, verdict: RootVerdict): Promise<undefined> {
    this.#is_online = false
    // The watcher of a folder that went away is deaf for ever, also after its return.
    await this.#watcher?.stop()
    this.#scan_asked = true
    if (state.offline_reason !== verdict.reason) await this.#tellOffline(verdict)
    else if (!isAskedAbout(state, verdict) || isJudgementWanted(state, this.#tools.clock.now_ms())) {
      await this.#recordOffline(verdict)
    }
  }

  async #recordOffline({ reason, found }: RootVerdict): Promise<void> {
    const is_doubted = isComparing(reason)
    await this.#record({ type: 'folder_offline', folder: this.#folder.name, reason, is_doubted, found })
  }

  async #tellOffline(verdict: RootVerdict): Promise<void> {
    await this.#recordOffline(verdict)
    const what = `is offline (${verdict.reason}); nothing in it counts as deleted`
    this.#tools.report.folder(this.#folder.name, what, 'warn')
  }

  #takeHint(hint: Hint): void {
    if (hint.kind === 'doubtful') this.#tools.report.folder(this.#folder.name, hint.reason, 'warn')
    const is_whole = hint.kind === 'folder' || hint.kind === 'doubtful' || hint.path === ''
    if (is_whole || !this.#hints.add(hint)) {
      this.#watcher?.doubt()
      this.#askForScan()
    } else this.#hinter.wake()
  }

  async #scan({ device, identity }: OnlineRoot): Promise<void> {
    const { name } = this.#folder
    const { clock } = this.#tools
    const [began_ms, from_ms] = [clock.now_ms(), clock.monotonic_ms()]
    this.#scan_asked = false
    this.#busy = true
    this.#rules.forget('')
    const missed = this.#watcher?.scanBegins({ all_followed: this.#hints.isEmpty() && !this.#looking })
    const outcome = await scanOnce(this.#folder, this.#tools, { missed, signal: this.#signal }).catch((error) => {
      this.#scan_asked = true
      throw error
    })
    this.#timer.ended(clock.monotonic_ms() - from_ms)
    if (outcome.kind === 'finished') {
      const { summary, is_part } = outcome
      await this.#record({ type: 'scan_finished', folder: name, began_ms, summary, is_part })
      await this.#watcher?.scanEnded(summary)
      // A single pass scans once.
      const covered = this.#watcher?.covers() ?? 'all'
      this.#timer.finished({ covered, changed: outcome.changed, missed: summary.missed ?? 0 })
      if (is_part) this.#scan_asked = true
    } else {
      this.#scan_asked = true
      if (outcome.kind === 'doubtful') {
        const found = { device, identity, files: filesThere(outcome.found) }
        await this.#tellOffline({ reason: waitingText(name, outcome.found), found })
        this.#is_online = false
        this.#busy = false
      }
    }
  }

  async #followHints(): Promise<{ wait_ms: number }> {
    if (!this.#is_online) return { wait_ms: root_look_ms }
    const { paths, directories } = this.#hints.take(hints_at_once)
    if (paths.length === 0 && directories.length === 0) return { wait_ms: minute_ms }
    this.#looking = true
    try {
      if ((await followHints(this.#folder, this.#tools, { paths, directories }, this.#signal)) === 'doubtful') {
        this.#watcher?.doubt()
        this.#askForScan()
      }
    } catch (error) {
      // These hints are taken and were not followed: the scan finds what they were about.
      this.#watcher?.doubt()
      this.#askForScan()
      throw error
    } finally {
      this.#looking = false
    }
    return { wait_ms: 0 }
  }

  /** Who was told to end says nothing more: another keeper may have the folder by now, with other settings. */
  async #record(event: FolderEvent): Promise<void> {
    if (!this.#signal.aborted) await this.#tools.ledger.record([event])
  }

  #askForScan(): void {
    this.#scan_asked = true
    this.#busy = true
    this.#scanner.wake()
  }
}
