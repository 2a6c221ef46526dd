import { isSluiceError } from '../base/errors.ts'
import { type LedgerView, openLedgerView } from '../ledger/view.ts'

/** Runs `use` with a view of the ledger that is closed afterwards; undefined where nothing was kept yet. */
export async function withLedgerView<Answer>(
  state_dir: string,
  use: (view: LedgerView | undefined) => Answer | Promise<Answer>,
): Promise<Answer> {
  const view = openView(state_dir)
  try {
    return await use(view)
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
