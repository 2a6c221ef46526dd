import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import type { FolderWatch } from '../../domain/fact.ts'
import { expectedAssets } from '../audit-work.ts'
import { createAuditRows } from '../rows/audit-rows.ts'
import { type FolderRow, readFolderRows } from '../rows/folder-row.ts'
import { countInPart } from '../rows/reading-rows.ts'
import { type Stage, stageOf, stages } from './view-files.ts'

export interface Amount {
  files: number
  bytes: number
}

export interface FolderView extends Omit<FolderRow, 'watch'> {
  /** Watcher in use and the reason for it; undefined until one is chosen. */
  watch: FolderWatch | undefined
  /** Reason why its watcher was given up; undefined if it was not. */
  given_up_reason: string | undefined
  stages: Record<Stage, Amount>
  /** Files of `ready` of which the service could not read all. */
  ready_in_part: number
}

/** Folders of the last recorded configuration, in the order in which they were first configured. */
export function readFolders(database: Sqlite): FolderView[] {
  const counts = database.prepare('SELECT stage, files, bytes FROM counts WHERE folder = ?')
  const in_part = countInPart(database)
  return readFolderRows(database)
    .filter(({ configured }) => configured)
    .map(({ watch, ...row }) => ({
      ...row,
      watch: watch && { watcher: watch.watcher, reason: watch.reason },
      given_up_reason: watch?.given_up?.reason,
      stages: byStage(readAll(counts, row.id)),
      ready_in_part: in_part.get(row.id) ?? 0,
    }))
}

export function byStage(counts: readonly (Amount & { stage: string })[]): Record<Stage, Amount> {
  const amounts = Object.fromEntries(
    stages.map((stage) => [stage, { files: 0, bytes: 0 }]),
  ) as Record<Stage, Amount>
  for (const { stage, files, bytes } of counts) {
    const amount = amounts[stageOf(stage)]
    amount.files += files
    amount.bytes += bytes
  }
  return amounts
}

/** State of one project's audit, as shown to users. */
export type AuditView = ReturnType<typeof readAudits>[number]

/** Audits of the projects that configured folders belong to. */
export function readAudits(database: Sqlite) {
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
      /** The running round, with `checked` of about `expected` assets checked; else undefined. */
      running: running && {
        began_ms: running.began_ms,
        pages: running.pages,
        checked: expectedAssets(running.counts),
        missing: running.counts.missing,
        expected,
      },
      /** The project seems emptied or replaced. Undefined again after a return or an acceptance. */
      emptied,
    }))
}
