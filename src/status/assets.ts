import { isoTime } from '../base/time/time.ts'
import { isMassRemoval } from '../domain/audit.ts'
import type { AuditView } from '../ledger/views/view-folders.ts'
import type { RemovalsView } from '../ledger/views/view-removal-cases.ts'

export type AuditStatus = ReturnType<typeof auditStatus>

type Full = NonNullable<AuditView['last_full']>
type Running = NonNullable<AuditView['running']>

export function auditStatus({ project_id, last_full, running, emptied }: AuditView) {
  return {
    project_id,
    /**
     * Null before the first full round. `expected`: number of assets that were ready here.
     * `usable`: number of those that were ready on the service, too.
     */
    last_full: fullStatus(last_full),
    running: runningStatus(running),
    /** True if so many assets are gone that Sluice uploads none of them again without a user. */
    seems_emptied: emptied !== undefined || isRunningOut(running),
  }
}

/** True if the running round already found so many gone that the project seems emptied. */
function isRunningOut(running: Running | undefined): boolean {
  return (
    running !== undefined && isMassRemoval({ removed: running.missing, expected: running.checked })
  )
}

function fullStatus(full: Full | undefined) {
  if (!full) return null
  const { began_ms, ended_ms, ...counts } = full
  return { ...counts, began: isoTime(began_ms), ended: isoTime(ended_ms) }
}

function runningStatus(running: Running | undefined) {
  if (!running) return null
  const { began_ms, ...rest } = running
  return { ...rest, began: isoTime(began_ms) }
}

/** Assets in the assistant that no file here holds, as JSON; see `removalStatus`. */
export type RemovalStatus = ReturnType<typeof removalStatus>

export function removalStatus({
  outdated: { files, ...outdated },
  waiting,
  held,
  removing,
  refusals,
}: RemovalsView) {
  return {
    /** Old versions of files, and deleted files. The assistant still uses them. */
    outdated: { versions: files, ...outdated },
    /**
     * Those to be removed, grouped by what they wait for (domain/removal.ts); `due`: for nothing.
     * The others are kept.
     */
    waiting,
    /** Folders with so many removals that a user must accept them. */
    held: held.map(({ folder, versions }) => ({ folder, versions })),
    /** Number of removals that began and have no answer yet. */
    removing,
    /** Projects in which the service refuses to remove assets. */
    refusals: refusalStatus(refusals),
  }
}

/** Projects in which the service refuses something, as JSON. */
export function refusalStatus(refusals: RemovalsView['refusals']) {
  return refusals.map(({ since_ms, ...refusal }) => ({ ...refusal, since: isoTime(since_ms) }))
}
