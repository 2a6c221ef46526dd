import { backoff_ms, minute_ms, second_ms } from '../../base/time/time.ts'
import type { FolderState, Ledger } from '../../ledger/ledger.ts'
import type { RunWork } from '../../ledger/prompt-work.ts'
import { asksForWhatCame, pathMatcher } from '../plan/fresh.ts'
import { Patience, type PromptSettings } from '../prompt-settings.ts'
import type { RunTools } from '../run-tools.ts'

/**
 * Who waits for no file still wants the folders looked at, or what came since the last look would be missed in silence. A look
 * at a million files takes seconds, on a slow share minutes; then the coverage line says that it was not complete.
 */
const look_most_ms = 2 * minute_ms
/** Reads of the ledger; at first a file is ready within a moment, later nobody waits for the second. */
const poll = { first_ms: 100, most_ms: 5 * second_ms }
/** One page answers nearly always: the wait goes on at the first file that is still on its way. */
const files_a_page = 500

/**
 * The freshness barrier: each folder in scope is looked at from the due time on, and what that look saw is final. Folders that
 * were found to be offline since then are not waited for. False where the daemon is to stop before.
 */
export async function awaitFiles(work: RunWork, settings: PromptSettings, tools: RunTools): Promise<boolean> {
  const { ledger, clock, soft } = tools
  const { due_ms, began_ms } = work
  const { scope, wait_for_files_ms } = settings
  if (scope.folders.length === 0) return !soft.aborted
  await ledger.record(scope.folders.map((folder) => ({ type: 'scan_wanted' as const, folder, at_ms: due_ms })))
  const waiting = new Patience(clock, began_ms, wait_for_files_ms)
  const looking = new Patience(clock, began_ms, Math.max(wait_for_files_ms, look_most_ms))
  const looks = new Looks(due_ms)
  for (let tries = 0; !soft.aborted; tries++) {
    const folders = (await ledger.folders()).filter(({ name }) => scope.folders.includes(name))
    const online = folders.filter((folder) => !isOffline(folder, due_ms))
    const is_looked = looks.areComplete(online)
    if (looking.isOver()) return true
    if (is_looked && (waiting.isOver() || !(await isAnyMoving(online, work.prompt, settings, looks, ledger))))
      return true
    const left_ms = (is_looked ? waiting : looking).left_ms()
    await clock.sleep(Math.min(backoff_ms(tries, poll), left_ms), soft)
  }
  return false
}

/** One that was just set up, or was away in an earlier life of the daemon, may be there: it is waited for until its root has answered. */
function isOffline({ offline_reason, judged_ms }: FolderState, due_ms: number): boolean {
  return offline_reason !== undefined && judged_ms !== undefined && judged_ms >= due_ms
}

/** What has been looked at since the due time, and when that look ended: files that came later are not waited for. */
class Looks {
  readonly #due_ms: number
  readonly #ended_ms = new Map<string, number>()

  constructor(due_ms: number) {
    this.#due_ms = due_ms
  }

  areComplete(folders: readonly FolderState[]): boolean {
    for (const { name, scan_began_ms, scan_ended_ms } of folders) {
      if (scan_began_ms === undefined || scan_ended_ms === undefined || scan_began_ms < this.#due_ms) continue
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
  looks: Looks,
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
        (stage === 'moving' || stage === 'on_the_way') && matches(path) && looks.saw(folder, seen_ms),
    )
    if (waits) return true
    after = page.next
  } while (after !== undefined)
  return false
}
