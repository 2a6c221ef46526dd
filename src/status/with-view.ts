import { translateSqliteError } from '../base/files/sqlite.ts'
import { isSluiceError } from '../base/run/errors.ts'
import { isRebuildOpen, ledgerFile } from '../ledger/file/state-directory.ts'
import { openLedgerView } from '../ledger/views/view.ts'
import { type DeletedFile, openArrivalsView, openFreshView } from '../ledger/views/view-arrivals.ts'
import { openHealthView } from '../ledger/views/view-health.ts'
import { openPassView } from '../ledger/views/view-pass.ts'
import { openPromptsView } from '../ledger/views/view-prompts.ts'

/** Runs `use` with a view of the ledger and closes it; with undefined if there is no ledger. */
export const withLedgerView = using(openLedgerView)
export const withPromptsView = using(openPromptsView)
/** Data to judge the health. */
export const withHealthView = using(openHealthView)
/** Counts what `accept` or `retry` would change, and knows which contents the ledger has. */
export const withPassView = using(openPassView)
/** New contents from which a run of a prompt would be planned. */
export const withFreshView = using(openFreshView)
/** Files that a question may be about. */
export const withArrivalsView = using(openArrivalsView)

/** Files deleted on disk whose contents only the service has. None if the ledger has a fault. */
export async function deletedFiles(state_dir: string): Promise<readonly DeletedFile[]> {
  try {
    return await withArrivalsView(state_dir, (view) => view?.deleted() ?? [])
  } catch {
    // The answer that may name them is there, and must reach the user.
    return []
  }
}

/** The message where there is no ledger to read. */
export function noLedgerYet(state_dir: string): string {
  return isRebuildOpen(state_dir)
    ? 'there is no ledger until the rebuild has ended: `sluice status` says whether one is running'
    : 'no folder was scanned yet: start with `sluice run`, or `sluice sync` for one pass'
}

/** Opens the view read-only for each use, and closes it. */
export function using<View extends { close(): void }>(open: (state_dir: string) => View) {
  return async <Answer>(
    state_dir: string,
    use: (view: View | undefined) => Answer | Promise<Answer>,
  ): Promise<Answer> => {
    let view: View | undefined
    try {
      view = openIfThere(open, state_dir)
      return await use(view)
    } catch (error) {
      // A damaged page may show only when it is read.
      throw translateSqliteError(error, ledgerFile(state_dir))
    } finally {
      view?.close()
    }
  }
}

function openIfThere<View>(open: (state_dir: string) => View, state_dir: string): View | undefined {
  try {
    return open(state_dir)
  } catch (error) {
    if (isSluiceError(error, 'ledger.none')) return undefined
    throw error
  }
}
