import { isSluiceError } from '../base/errors.ts'
import { translateSqliteError } from '../base/sqlite.ts'
import { ledgerFile } from '../ledger/open-ledger.ts'
import { type LedgerView, openLedgerView } from '../ledger/view.ts'

/** Runs `use` with a view of the ledger that is closed afterwards; undefined where nothing was kept yet. */
export async function withLedgerView<Answer>(
  state_dir: string,
  use: (view: LedgerView | undefined) => Answer | Promise<Answer>,
): Promise<Answer> {
  let view: LedgerView | undefined
  try {
    view = openView(state_dir)
    return await use(view)
  } catch (error) {
    // A damaged page shows when it is read, which may be late.
    throw translateSqliteError(error, ledgerFile(state_dir))
  } finally {
    view?.close()
  }
}

function openView(state_dir: string): LedgerView | undefined {
  try {
    return openLedgerView(state_dir)
  } catch (error) {
    if (isSluiceError(error, 'ledger.none')) return undefined
    throw error
  }
}
