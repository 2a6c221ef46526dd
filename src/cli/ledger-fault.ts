import { statfsSync, statSync } from 'node:fs'
import type { HealthView } from '../ledger/view-health.ts'
import type { HealthFacts } from '../status/health-promises.ts'
import type { DaemonStatus } from '../status/view.ts'

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
