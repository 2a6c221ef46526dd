import { pathMatcher } from '../../base/text/ignore-patterns.ts'
import { backoff_ms, minute_ms, second_ms } from '../../base/time/time.ts'
import type { FolderState, Ledger } from '../../ledger/ledger.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import { asksForWhatCame } from '../plan/fresh.ts'
import { Patience, type PromptSettings } from '../prompt-settings.ts'
import type { RunTools } from '../run-tools.ts'

/**
 * Minimum limit of the wait for scans: even a run that waits for no file needs one, or it would
 * miss the files since the last scan. A scan of a million files takes seconds, on a slow share
 * minutes. Without one, the coverage line says that the scan did not end in time.
 */
const max_scan_wait_ms = 2 * minute_ms
/** Pause between reads of the ledger: short at first, longer once the files take their time. */
const poll = { first_ms: 100, max_ms: 5 * second_ms }
/** One page nearly always suffices: the wait continues at the first file that is not ready yet. */
const files_a_page = 500

/**
 * Waits until each online folder in scope was scanned after the due time, and no file of that scan
 * is unsettled or on its way to the service; at most for the time limits. Does not wait for folders
 * found offline since the due time. False if the daemon stops before.
 */
export async function awaitFiles(
  work: RunWork,
  settings: PromptSettings,
  tools: RunTools,
): Promise<boolean> {
  const { ledger, clock, soft } = tools
  const { due_ms, began_ms } = work
  const { scope, wait_for_files_ms } = settings
  if (scope.folders.length === 0) return !soft.aborted
  await ledger.record(
    scope.folders.map((folder) => ({ type: 'scan_wanted' as const, folder, at_ms: due_ms })),
  )
  const waiting = new Patience(clock, began_ms, wait_for_files_ms)
  const scanning = new Patience(clock, began_ms, Math.max(wait_for_files_ms, max_scan_wait_ms))
  const scans = new FolderScans(due_ms)
  for (let tries = 0; !soft.aborted; tries++) {
    const folders = (await ledger.folders()).filter(({ name }) => scope.folders.includes(name))
    const online = folders.filter((folder) => !isOffline(folder, due_ms))
    const is_scanned = scans.areComplete(online)
    if (scanning.isOver()) return true
    if (
      is_scanned &&
      (waiting.isOver() || !(await isAnyMoving(online, work.prompt, settings, scans, ledger)))
    )
      return true
    const left_ms = (is_scanned ? waiting : scanning).left_ms()
    await clock.sleep(Math.min(backoff_ms(tries, poll), left_ms), soft)
  }
  return false
}

/** Only a root check since the due time counts: a new or once offline folder may be online. */
function isOffline({ offline_reason, judged_ms }: FolderState, due_ms: number): boolean {
  return offline_reason !== undefined && judged_ms !== undefined && judged_ms >= due_ms
}

/** Ends of the scans that began after the due time; files that came later are not waited for. */
class FolderScans {
  readonly #due_ms: number
  readonly #ended_ms = new Map<string, number>()

  constructor(due_ms: number) {
    this.#due_ms = due_ms
  }

  areComplete(folders: readonly FolderState[]): boolean {
    for (const { name, scan_began_ms, scan_ended_ms } of folders) {
      if (
        scan_began_ms === undefined ||
        scan_ended_ms === undefined ||
        scan_began_ms < this.#due_ms
      )
        continue
      if (!this.#ended_ms.has(name)) this.#ended_ms.set(name, scan_ended_ms)
    }
    return folders.every(({ name }) => this.#ended_ms.has(name))
  }

  saw(folder: string, seen_ms: number): boolean {
    return seen_ms <= (this.#ended_ms.get(folder) ?? Number.NEGATIVE_INFINITY)
  }
}

async function isAnyMoving(
  online: readonly FolderState[],
  prompt: string,
  settings: PromptSettings,
  scans: FolderScans,
  ledger: Ledger,
): Promise<boolean> {
  if (online.length === 0) return false
  const matches = pathMatcher(settings.scope.paths)
  const folders = online.map(({ name }) => name)
  let after: { folder: string; path: string } | undefined
  do {
    const page = await ledger.unready({
      prompt,
      folders,
      only_come: asksForWhatCame(settings),
      after,
      limit: files_a_page,
    })
    const waits = page.files.some(
      ({ folder, path, stage, seen_ms }) =>
        (stage === 'moving' || stage === 'on_the_way') &&
        matches(path) &&
        scans.saw(folder, seen_ms),
    )
    if (waits) return true
    after = page.next
  } while (after !== undefined)
  return false
}
