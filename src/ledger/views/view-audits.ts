import type { Sqlite } from '../../base/files/sqlite.ts'
import { type AuditCounts, createAuditRows, type Emptied, expectedAssets } from '../rows/audit-rows.ts'

/** What people are told of the audit of one project. */
export interface AuditView {
  project_id: string
  last_full: (AuditCounts & { began_ms: number; ended_ms: number; expected: number }) | undefined
  /** `looked_at` of about `expected` assets so far. */
  running: { began_ms: number; pages: number; looked_at: number; missing: number; expected: number } | undefined
  /** A round found so much gone that it was emptied, or is another one; until it is there again, or a person said that it is right. */
  emptied: Emptied | undefined
}

/** Of the projects that configured folders belong to. */
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
