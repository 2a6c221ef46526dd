import { existsSync, statfsSync, statSync } from 'node:fs'
import { isSluiceError, SluiceError } from '../base/run/errors.ts'
import { system_clock } from '../base/time/time.ts'
import { openLedgerReadOnly } from '../ledger/file/ledger-file.ts'
import { refuseOrphan } from '../ledger/file/ledger-place.ts'
import { controlSocket, isRebuildOpen, rebuildDirectory } from '../ledger/file/state-directory.ts'
import { type Pause, readPause as pauseIn, type Trouble } from '../ledger/rows/trouble-rows.ts'
import type { HealthView } from '../ledger/views/view-health.ts'
import type { HealthFacts } from './health/problems.ts'
import { pauseText } from './text/text-health.ts'
import { type DaemonStatus, pauseStatus, type RebuildStatus } from './view.ts'
import { using, withLedgerView } from './with-view.ts'

/** Finds out whether a daemon uses this directory. Loads the client only if there is a socket. */
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
    return {
      state: 'unknown',
      why: error.hint === undefined ? error.message : `${error.message}; ${error.hint}`,
    }
  }
}

/** An open rebuild, which is a pass into a new ledger in a subdirectory; undefined without one. */
export async function rebuildStatus(
  state_dir: string,
  daemon: DaemonStatus,
): Promise<{ status: RebuildStatus; troubles: Trouble[] } | undefined> {
  if (!isRebuildOpen(state_dir)) return undefined
  // If a process answers, it is the rebuild: a daemon would have made a ledger already.
  if (daemon.state === 'stopped') return { status: 'unfinished', troubles: [] }
  const troubles = await withLedgerView(
    rebuildDirectory(state_dir),
    (ledger) => ledger?.troubles() ?? [],
  )
  return { status: 'running', troubles }
}

/** The smallest commit adds two pages to SQLite's log. */
const min_commit_bytes = 8_192

/**
 * Reason why nothing can be recorded; undefined if none is known. The daemon knows once it has
 * tried; a full disk is recognised here before that.
 */
export function ledgerFaultOf(
  state_dir: string,
  daemon: DaemonStatus,
  view: HealthView | undefined,
): HealthFacts['ledger_fault'] {
  if (daemon.state === 'running' && daemon.ledger_fault) return daemon.ledger_fault
  if (!view || freeBytes(state_dir) >= min_commit_bytes) return undefined
  const scans_ms = view.folders().map(({ scan_ended_ms }) => scan_ended_ms ?? 0)
  return {
    message: `the disk that holds ${state_dir} is full`,
    hint: `free some space there${daemon.state === 'running' ? '' : ', then start the daemon: `sluice run`'}; nothing that was recorded is lost`,
    since_ms: Math.max(view.atWork_ms() ?? 0, ...scans_ms),
  }
}

/** The free bytes for the owner of the directory. Root may also use the reserved blocks. */
function freeBytes(state_dir: string): number {
  const { blocks, bavail, bfree, bsize } = statfsSync(state_dir)
  // Some FUSE file systems report no sizes at all.
  if (blocks === 0) return Number.POSITIVE_INFINITY
  return (statSync(state_dir).uid === 0 ? bfree : bavail) * bsize
}

/** A pass that brings an older ledger to the new format heeds its pause. */
const withAnyFormat = using((state_dir) => openLedgerReadOnly(state_dir, true))

export function readPause(state_dir: string): Promise<Pause | undefined> {
  return withAnyFormat(state_dir, (ledger) => ledger && pauseIn(ledger, system_clock.now_ms()))
}

/**
 * Throws `answer.paused` while a user has paused Sluice. Commands that send or ask call it first: a
 * cron job that runs `sluice sync` must not override a pause.
 */
export async function refuseWhilePaused(state_dir: string, what: string): Promise<void> {
  const pause = await readPause(state_dir)
  if (!pause) return
  throw new SluiceError({
    code: 'answer.paused',
    message: `${what}: ${pauseText(pauseStatus(pause), system_clock.now_ms())}`,
    hint: '`sluice resume` ends the pause',
  })
}
