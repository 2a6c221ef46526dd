import { isSluiceError } from '../base/errors.ts'
import { translateSqliteError } from '../base/sqlite.ts'
import { isRebuildOpen, ledgerFile } from '../ledger/state-directory.ts'
import { type LedgerView, openLedgerView } from '../ledger/view.ts'
import { type FreshView, openFreshView } from '../ledger/view-fresh.ts'
import { type HealthView, openHealthView } from '../ledger/view-health.ts'
import { openPassView, type PassView } from '../ledger/view-pass.ts'
import { openPromptsView, type PromptsView } from '../ledger/view-prompts.ts'

/** Runs `use` with a view of the ledger that is closed afterwards; undefined where nothing was kept yet. */
export function withLedgerView<Answer>(state_dir: string, use: Use<LedgerView, Answer>): Promise<Answer> {
  return withView(openLedgerView, 'ledger.none', state_dir, use)
}

/** The same with a view of the prompts. */
export function withPromptsView<Answer>(state_dir: string, use: Use<PromptsView, Answer>): Promise<Answer> {
  return withView(openPromptsView, 'database.missing', state_dir, use)
}

/** The same with what health is judged by. */
export function withHealthView<Answer>(state_dir: string, use: Use<HealthView, Answer>): Promise<Answer> {
  return withView(openHealthView, 'database.missing', state_dir, use)
}

/** The same with what a pass did, and what a person's word reaches. */
export function withPassView<Answer>(state_dir: string, use: Use<PassView, Answer>): Promise<Answer> {
  return withView(openPassView, 'database.missing', state_dir, use)
}

/** The same with what came in, for prompts. */
export function withFreshView<Answer>(state_dir: string, use: Use<FreshView, Answer>): Promise<Answer> {
  return withView(openFreshView, 'database.missing', state_dir, use)
}

/** What to say where there is no ledger to look into. */
export function noLedgerYet(state_dir: string): string {
  return isRebuildOpen(state_dir)
    ? 'there is no ledger until a rebuild is at its end: `sluice status` says whether one is at work'
    : 'nothing was looked at yet: start with `sluice run`, or `sluice sync` for one pass'
}

type Use<View, Answer> = (view: View | undefined) => Answer | Promise<Answer>

/** `nothing_kept`: the code of the error that says so. */
async function withView<View extends { close(): void }, Answer>(
  open: (state_dir: string) => View,
  nothing_kept: string,
  state_dir: string,
  use: Use<View, Answer>,
): Promise<Answer> {
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

function openOrNothing<View>(open: (state_dir: string) => View, nothing_kept: string, state_dir: string) {
  try {
    return open(state_dir)
  } catch (error) {
    if (isSluiceError(error, nothing_kept)) return undefined
    throw error
  }
}
