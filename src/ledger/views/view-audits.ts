import type { Sqlite } from '../../base/files/sqlite.ts'
import { type AuditCounts, createAuditRows, type Emptied, expectedAssets } from '../rows/audit-rows.ts'

/** State of one project's audit, as shown to users. */
export interface AuditView {
  project_id: string
  last_full: (AuditCounts & { began_ms: number; ended_ms: number; expected: number }) | undefined
  /** The running round, with `looked_at` of about `expected` assets checked; else undefined. */
  running: { began_ms: number; pages: number; looked_at: number; missing: number; expected: number } | undefined
  /**
   * Set if a round found so many assets gone that the project was emptied or replaced. Undefined
   * once they are back or sent again, or a user has accepted it.
   */
  emptied: Emptied | undefined
}

/** Audits of the projects that configured folders belong to. */
export function readAudits(database: Sqlite): AuditView[] {
  const configured = new Set(
    database
      .prepare(
        'SELECT DISTINCT project_id FROM folders JOIN projects ON projects.id = folders.project WHERE configured = 1',
      )
      .pluck()
      .all() as string[],
  )
  return createAuditRows(database)
    .states()
    .filter(({ project_id }) => configured.has(project_id))
    .map(({ project_id, last, running, expected, emptied }) => ({
      project_id,
      last_full: last && {
        ...last.counts,
        began_ms: last.began_ms,
        ended_ms: last.ended_ms,
        expected: expectedAssets(last.counts),
      },
      running: running && {
        began_ms: running.began_ms,
        pages: running.pages,
        looked_at: expectedAssets(running.counts),
        missing: running.counts.missing,
        expected,
      },
      emptied,
    }))
}
