import { runWorker, type Worker } from '../../base/run/worker.ts'
import { minute_ms } from '../../base/time/time.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import {
  acknowledgementOn,
  type OnlineRoot,
  type RootTrust,
  rootChange,
  trustInRoot,
} from '../../disk/root/root.ts'
import type { IgnoreRules } from '../../disk/scan/ignore.ts'
import type { Hint } from '../../disk/watch/watch.ts'
import {
  exceedsAcknowledgement,
  filesThere,
  isAskedAbout,
  waitingText,
} from '../../domain/disappearance.ts'
import type { FolderEvent } from '../../domain/fact.ts'
import { withKnownId } from '../../domain/root-identity.ts'
import type { FolderState } from '../../ledger/ledger.ts'
import type { FolderSettings } from '../folder-settings.ts'
import type { IntakeTools } from '../intake/intake.ts'
import { createFolderWatcher } from './folder-watcher.ts'
import { createHintQueue, followHints } from './hints.ts'
import { change_texts, createRootDoubt, isComparing, type RootVerdict } from './root-doubt.ts'
import { type ScanTools, scanOnce } from './scan-folder.ts'
import { createScanTimer, isScanWanted } from './scan-timer.ts'
import type { WatchingSettings, WatchRoom } from './watch-choice.ts'

interface KeeperTools extends ScanTools, Pick<IntakeTools, 'report'> {
  examiner: Pick<Examiner, 'lstat'>
  watching: WatchingSettings
  room: WatchRoom
  max_hints: number
}

export type FolderKeeper = ReturnType<typeof keepFolder>

const hints_at_once = 500

/**
 * Checks one folder's root, and finds changes and missed events. The watcher only gives hints; the
 * scan decides. Watching begins before the scan, so that no change between them is missed.
 */
export function keepFolder(
  folder: FolderSettings,
  rules: IgnoreRules,
  tools: KeeperTools,
  { watch, signal }: { watch: boolean; signal: AbortSignal },
) {
  const { name } = folder
  const { ledger, clock, report, watching } = tools
  const hints = createHintQueue({
    max_hints: tools.max_hints,
    directory_hints: watching.directory_hints,
  })
  const timer = createScanTimer(clock, {
    ...watching,
    rescan_interval_ms: folder.rescan_interval_ms,
  })
  const root_doubt = createRootDoubt(folder, tools)
  let scan_asked = true
  let busy = true
  let looking = false
  let is_online = false
  let is_first_check = true
  const isScanDue = () => scan_asked || timer.dueIn_ms() <= 0
  /** Undefined in a single pass, which only scans. */
  const watcher = watch
    ? createFolderWatcher({ ...tools, folder, rules, on_hint: takeHint, record, signal })
    : undefined
  const scanner = startWorker('scanner', keep)
  const hinter = startWorker('hints', followQueued)

  function startWorker(kind: string, step: () => Promise<{ wait_ms: number }>): Worker {
    const worker_name = `${kind} ${name}`
    const on_error = (error: unknown) => report.fault(worker_name, error)
    return runWorker({ name: worker_name, step, clock, signal, on_error })
  }

  async function keep(): Promise<{ wait_ms: number }> {
    const found = ledger.rests(name) ? undefined : await checkRoot()
    if (!found) {
      busy = false
      return { wait_ms: watching.root_check_ms }
    }
    const { state, root } = found
    if (await watcher?.keepOn(clock.monotonic_ms(), state, root)) scan_asked = true
    const is_wanted = isScanWanted(state, state.scan_began_ms, clock.now_ms())
    scan_asked ||= is_wanted
    busy ||= is_wanted
    const why = is_wanted ? 'wanted' : 'doubt'
    if (isScanDue() && timer.restsFor_ms(why) <= 0) await scan(root).catch(scanAgain)
    if (!scan_asked) busy = false
    // Even a due scan rests: one that could not be recorded is due again at its end.
    const soon_ms = Math.max(scan_asked ? 0 : timer.dueIn_ms(), timer.restsFor_ms(why))
    return { wait_ms: Math.max(1, Math.min(watching.root_check_ms, soon_ms)) }
  }

  /** The folder's state if it is online and trusted; undefined while it is offline. */
  async function checkRoot(): Promise<{ state: FolderState; root: OnlineRoot } | undefined> {
    const { roots, answer_ms, empty_folder_files } = tools
    const checked_ms = clock.now_ms()
    const status = await roots.status(folder.path, answer_ms, {
      doubtful: !is_online || isScanDue(),
    })
    // Read after the wait for the root: a user may have answered the question about missing files.
    const state = await ledger.folder(name)
    if (!state) return undefined
    if (status.kind === 'offline') return goOffline(state, { reason: status.detail }, checked_ms)
    const known = state.most_evidence
    const here = { device: status.device, identity: withKnownId(state.identity, status.identity) }
    const acknowledged = acknowledgementOn(status, state.disappearance)
    const is_accepted = acknowledged && !exceedsAcknowledgement(acknowledged, 0, tools)
    if (status.empty && known > empty_folder_files && !is_accepted) {
      const reason = `it is empty, ${waitingText(name, { known, missing: known, files: 0 })}`
      return goOffline(state, { reason, found: { ...here, files: 0 } }, checked_ms)
    }
    const trust = trustInRoot({ ...state, is_first_check }, status, known > empty_folder_files)
    // After an acknowledgement the scan checks whether it covers what is found.
    if (trust !== 'trusted' && !acknowledged) {
      const doubt = await doubtAbout(status, state, trust)
      if (doubt !== undefined) return goOffline(state, doubt, checked_ms)
    }
    root_doubt.forget()
    const online = { type: 'folder_online', folder: name, ...here } as const
    if (!state.online || rootChange(state, status) !== 'none') {
      await record(online)
      if (!state.online && state.device !== undefined)
        report.folder(name, 'is online again', 'info')
      await watcher?.stop()
      scan_asked = true
    } else if (here.identity !== undefined && here.identity !== state.identity) await record(online)
    is_online = true
    is_first_check = false
    return { state, root: status }
  }

  /** Compares an untrusted root; meanwhile it counts as offline. Undefined: it is the known one. */
  async function doubtAbout(
    now: OnlineRoot,
    state: FolderState,
    trust: RootTrust,
  ): Promise<RootVerdict | undefined> {
    const remembered = root_doubt.remembered(now)
    if (remembered) return remembered
    busy = true
    is_online = false
    if (state.online)
      await recordOffline({ reason: change_texts[rootChange(state, now)].comparing })
    return root_doubt.compare(now, { state, trust, signal })
  }

  /** `checked_ms`: since when the check ran. A later request needs another check. */
  async function goOffline(
    state: FolderState,
    verdict: RootVerdict,
    checked_ms: number,
  ): Promise<undefined> {
    is_online = false
    // The watcher of a folder that went offline receives no more events, even after its return.
    await watcher?.stop()
    scan_asked = true
    if (state.offline_reason !== verdict.reason) await reportOffline(verdict)
    else if (
      !isAskedAbout(state.disappearance, verdict.found) ||
      isScanWanted(state, state.judged_ms, checked_ms)
    ) {
      await recordOffline(verdict)
    }
  }

  async function recordOffline({ reason, found }: RootVerdict): Promise<void> {
    await record({
      type: 'folder_offline',
      folder: name,
      reason,
      is_doubted: isComparing(reason),
      found,
    })
  }

  async function reportOffline(verdict: RootVerdict): Promise<void> {
    await recordOffline(verdict)
    report.folder(name, `is offline: ${verdict.reason}. Nothing in it counts as deleted`, 'warn')
  }

  function takeHint(hint: Hint): void {
    if (hint.kind === 'doubtful') report.folder(name, hint.reason, 'warn')
    const is_whole = hint.kind === 'folder' || hint.kind === 'doubtful' || hint.path === ''
    if (is_whole || !hints.add(hint)) doubtAll()
    else hinter.wake()
  }

  async function scan({ device, identity }: OnlineRoot): Promise<void> {
    const began_ms = clock.now_ms()
    const from_ms = clock.monotonic_ms()
    scan_asked = false
    busy = true
    timer.began()
    rules.forget('')
    const missed = watcher?.scanBegins({ all_followed: hints.isEmpty() && !looking })
    const outcome = await scanOnce(folder, tools, { missed, signal })
    timer.ended(clock.monotonic_ms() - from_ms)
    if (outcome.kind === 'finished') {
      const { summary, is_part } = outcome
      await record({ type: 'scan_finished', folder: name, began_ms, summary, is_part })
      await watcher?.scanEnded(summary)
      // A single pass has no watcher and scans once, so the next scan may come late.
      timer.finished({
        covered: watcher?.covers() ?? 'all',
        changed: outcome.changed,
        missed: summary.missed ?? 0,
      })
      if (is_part) scan_asked = true
    } else {
      scan_asked = true
      if (outcome.kind === 'doubtful') {
        const found = { device, identity, files: filesThere(outcome.found) }
        await reportOffline({ reason: waitingText(name, outcome.found), found })
        is_online = false
        busy = false
      }
    }
  }

  /** Another scan must find what this one did not record. */
  function scanAgain(error: unknown): never {
    scan_asked = true
    throw error
  }

  async function followQueued(): Promise<{ wait_ms: number }> {
    if (!is_online) return { wait_ms: watching.root_check_ms }
    const { paths, directories } = hints.take(hints_at_once)
    if (paths.length === 0 && directories.length === 0) return { wait_ms: minute_ms }
    looking = true
    try {
      if ((await followHints(folder, tools, { paths, directories }, signal)) === 'doubtful')
        doubtAll()
    } catch (error) {
      // These hints are out of the queue but not done: a scan finds their changes.
      doubtAll()
      throw error
    } finally {
      looking = false
    }
    return { wait_ms: 0 }
  }

  /** A stopped keeper records nothing more: another may keep the folder now. */
  async function record(event: FolderEvent): Promise<void> {
    if (!signal.aborted) await ledger.record([event])
  }

  /** Only a scan of the whole folder can show what changed. */
  function doubtAll(): void {
    watcher?.doubt()
    askForScan()
  }

  function askForScan(): void {
    scan_asked = true
    busy = true
    scanner.wake()
  }

  return {
    rescan() {
      timer.noRest()
      root_doubt.forget()
      askForScan()
    },
    /** Checks in the ledger whether a scan is requested. */
    wake: () => scanner.wake(),
    /** True when no check runs, and the last requested scan is over or the folder offline. */
    isIdle: () => !busy && !looking && (hints.isEmpty() || !is_online),
    async close() {
      await Promise.all([scanner.ended, hinter.ended])
      await watcher?.stop()
    },
  }
}
