import { isoTime } from '../base/time/time.ts'
import { isMassRemoval } from '../domain/audit.ts'
import type { AuditView } from '../ledger/views/view-audits.ts'

/** The audit of one project, as JSON. */
export interface AuditStatus {
  project_id: string
  /** null: no round was finished yet. `expected`: was ready here; `usable`: and there. */
  last_full: (Omit<Full, 'began_ms' | 'ended_ms'> & { began: string; ended: string }) | null
  running: (Omit<Running, 'began_ms'> & { began: string }) | null
  /** So much is gone that it looks like an emptied project or another one: nothing of it is sent again by itself. */
  looks_emptied: boolean
}

type Full = NonNullable<AuditView['last_full']>
type Running = NonNullable<AuditView['running']>

export function auditStatus({ project_id, last_full, running, emptied }: AuditView): AuditStatus {
  return {
    project_id,
    last_full: fullStatus(last_full),
    running: runningStatus(running),
    looks_emptied: emptied !== undefined || isRunningOut(running),
  }
}

/** Said before the round has come to its end. */
function isRunningOut(running: Running | undefined): boolean {
  return running !== undefined && isMassRemoval({ removed: running.missing, expected: running.looked_at })
}

function fullStatus(full: Full | undefined): AuditStatus['last_full'] {
  if (!full) return null
  const { began_ms, ended_ms, ...counts } = full
  return { ...counts, began: isoTime(began_ms), ended: isoTime(ended_ms) }
}

function runningStatus(running: Running | undefined): AuditStatus['running'] {
  if (!running) return null
  const { began_ms, ...rest } = running
  return { ...rest, began: isoTime(began_ms) }
}
