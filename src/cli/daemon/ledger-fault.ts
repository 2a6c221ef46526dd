import { statfsSync, statSync } from 'node:fs'
import { translateSqliteError } from '../../base/files/sqlite.ts'
import { isSluiceError } from '../../base/run/errors.ts'
import { isRebuildOpen, ledgerFile } from '../../ledger/file/state-directory.ts'
import { openLedgerView } from '../../ledger/views/view.ts'
import { openFreshView } from '../../ledger/views/view-arrivals.ts'
import { type HealthView, openHealthView } from '../../ledger/views/view-health.ts'
import { openPassView } from '../../ledger/views/view-pass.ts'
import { openPromptsView } from '../../ledger/views/view-prompts.ts'
import type { HealthFacts } from '../../status/health/health-promises.ts'
import type { DaemonStatus } from '../../status/view.ts'

/** The smallest commit adds two pages to SQLite's log. */
const least_commit_bytes = 8_192

/**
 * Why nothing can be recorded. The daemon knows once it has tried; a full disk is recognised here
 * before that.
 */
export function ledgerFaultOf(
  state_dir: string,
  daemon: DaemonStatus,
  view: HealthView | undefined,
): HealthFacts['ledger_fault'] {
  if (daemon.state === 'running' && daemon.ledger_fault) return daemon.ledger_fault
  if (!view || freeBytes(state_dir) >= least_commit_bytes) return undefined
  const scans_ms = view.folders().map(({ scan_ended_ms }) => scan_ended_ms ?? 0)
  return {
    message: `the disk that holds ${state_dir} is full`,
    hint: `free some space there${daemon.state === 'running' ? '' : ', then start the daemon: `sluice run`'}; nothing that was recorded is lost`,
    since_ms: Math.max(view.atWork_ms() ?? 0, ...scans_ms),
  }
}

/**
 * What the owner of the directory may use: root may also use the blocks that are reserved for it.
 */
function freeBytes(state_dir: string): number {
  const { blocks, bavail, bfree, bsize } = statfsSync(state_dir)
  // Some FUSE file systems report no sizes at all.
  if (blocks === 0) return Number.POSITIVE_INFINITY
  return (statSync(state_dir).uid === 0 ? bfree : bavail) * bsize
}

/** Runs `use` with a view of the ledger that is closed afterwards; undefined where nothing was kept yet. */
export const withLedgerView = using(openLedgerView, 'ledger.none')
export const withPromptsView = using(openPromptsView, 'database.missing')
/** What health is judged by. */
export const withHealthView = using(openHealthView, 'database.missing')
/** What a pass did, and what a person's word reaches. */
export const withPassView = using(openPassView, 'database.missing')
/** What came in, for prompts. */
export const withFreshView = using(openFreshView, 'database.missing')

/** What to say where there is no ledger to look into. */
export function noLedgerYet(state_dir: string): string {
  return isRebuildOpen(state_dir)
    ? 'there is no ledger until a rebuild is at its end: `sluice status` says whether one is at work'
    : 'nothing was looked at yet: start with `sluice run`, or `sluice sync` for one pass'
}

/** `nothing_kept`: the code of the error that says so. */
function using<View extends { close(): void }>(open: (state_dir: string) => View, nothing_kept: string) {
  return async <Answer>(
    state_dir: string,
    use: (view: View | undefined) => Answer | Promise<Answer>,
  ): Promise<Answer> => {
    let view: View | undefined
    try {
      view = openOrNothing(open, nothing_kept, state_dir)
      return await use(view)
    } catch (error) {
      // A damaged page shows when it is read, which may be late.
      throw translateSqliteError(error, ledgerFile(state_dir))
    } finally {
      view?.close()
    }
  }
}

function openOrNothing<View>(open: (state_dir: string) => View, nothing_kept: string, state_dir: string) {
  try {
    return open(state_dir)
  } catch (error) {
    if (isSluiceError(error, nothing_kept)) return undefined
    throw error
  }
}
