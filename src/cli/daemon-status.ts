import { existsSync } from 'node:fs'
import { isSluiceError } from '../base/errors.ts'
import { refuseOrphan } from '../ledger/orphan.ts'
import { controlSocket } from '../ledger/state-directory.ts'
import type { DaemonStatus } from '../status/view.ts'

/** Whether a daemon works on this state directory. The client is loaded only where there is somebody to ask. */
export async function daemonStatus(state_dir: string): Promise<DaemonStatus> {
  try {
    if (!existsSync(controlSocket(state_dir))) {
      refuseOrphan(state_dir)
      return { state: 'stopped' }
    }
    const { connectControl } = await import('../control/control-client.ts')
    const control = await connectControl(state_dir)
    if (!control) return { state: 'stopped' }
    await control.close()
    return { state: 'running', ...control.presence }
  } catch (error) {
    if (!isSluiceError(error)) throw error
    return { state: 'unknown', why: error.hint === undefined ? error.message : `${error.message}; ${error.hint}` }
  }
}
