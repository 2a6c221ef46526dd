import { isRebuildOpen, rebuildDirectory } from '../ledger/state-directory.ts'
import type { Trouble } from '../ledger/trouble-rows.ts'
import type { DaemonStatus, RebuildStatus } from '../status/view.ts'
import { withLedgerView } from './open-view.ts'

/** A rebuild that has not come to its end, and what it waits for; it is a pass with a ledger of its own. */
export async function rebuildStatus(
  state_dir: string,
  daemon: DaemonStatus,
): Promise<{ status: RebuildStatus; troubles: Trouble[] } | undefined> {
  if (!isRebuildOpen(state_dir)) return undefined
  // A daemon would have made a ledger before it can be asked.
  if (daemon.state === 'stopped') return { status: 'unfinished', troubles: [] }
  const troubles = await withLedgerView(rebuildDirectory(state_dir), (ledger) => ledger?.troubles() ?? [])
  return { status: 'running', troubles }
}
