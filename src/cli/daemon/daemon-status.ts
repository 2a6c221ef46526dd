import { existsSync } from 'node:fs'
import { isSluiceError } from '../../base/run/errors.ts'
import { controlSocket, isRebuildOpen, rebuildDirectory } from '../../ledger/file/state-directory.ts'
import { refuseOrphan } from '../../ledger/record/orphan.ts'
import type { Trouble } from '../../ledger/rows/trouble-rows.ts'
import type { DaemonStatus, RebuildStatus } from '../../status/view.ts'
import { withLedgerView } from './ledger-fault.ts'

/** Whether a daemon works on this state directory. The client is loaded only where there is somebody to ask. */
export async function daemonStatus(state_dir: string): Promise<DaemonStatus> {
  try {
    if (!existsSync(controlSocket(state_dir))) {
      refuseOrphan(state_dir)
      return { state: 'stopped' }
    }
    const { connectControl } = await import('../../control/control-client.ts')
    const control = await connectControl(state_dir)
    if (!control) return { state: 'stopped' }
    await control.close()
    return { state: 'running', ...control.presence }
  } catch (error) {
    if (!isSluiceError(error)) throw error
    return { state: 'unknown', why: error.hint === undefined ? error.message : `${error.message}; ${error.hint}` }
  }
}

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
