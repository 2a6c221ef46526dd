import type { Sqlite } from '../../base/files/sqlite.ts'
import type { FolderWatch, ScanSummary } from '../../domain/fact.ts'
import { type Stage, stageOf, stages } from './view-files.ts'

export interface Amount {
  files: number
  bytes: number
}

export interface FolderView {
  name: string
  root: string
  project_id: string
  /** False as well before anybody looked at it for the first time: then there is no `offline_reason`. */
  online: boolean
  offline_reason: string | undefined
  /** Since when it is online or offline. */
  state_since_ms: number
  started_ms: number
  /** Since when it is in the configuration, with this project, without a break. */
  kept_ms: number
  first_scan_ms: number | undefined
  scan_began_ms: number | undefined
  scan_ended_ms: number | undefined
  scan: ScanSummary | undefined
  /** What it is watched by, as far as anybody has chosen. */
  watch: FolderWatch | undefined
  /** Why its watcher was given up. */
  deaf_reason: string | undefined
  /** What became of its watchers for what scans found against them. */
  deafness: Deafness
  stages: Record<Stage, Amount>
}

interface Deafness {
  /** How often one was made anew, and the last time. */
  rebuilt: number
  last: { at_ms: number; why: string } | undefined
  /** How often one was given up for scans alone. */
  given_up: number
}

interface RawFolder {
  id: number
  name: string
  root: string
  project_id: string
  is_known: number
  offline_reason: string | null
  state_since_ms: number
  started_ms: number
  kept_ms: number | null
  first_scan_ms: number | null
  scan_began_ms: number | null
  scan_ended_ms: number | null
  scan_summary: string | null
  watcher: FolderWatch['watcher'] | null
  watch_reason: string | null
  deaf_reason: string | null
  rebuilt_times: number
  rebuilt_ms: number | null
  rebuilt_reason: string | null
  given_up_times: number
}

/** The folders of the config as the ledger last saw it, in the order in which they were taken up. */
export function readFolders(database: Sqlite): FolderView[] {
  const rows = database
    .prepare(
      `SELECT folders.*, projects.project_id, device IS NOT NULL AS is_known
       FROM folders JOIN projects ON projects.id = folders.project WHERE configured = 1 ORDER BY folders.id`,
    )
    .all() as RawFolder[]
  const counts = database.prepare('SELECT stage, files, bytes FROM counts WHERE folder = ?')
  return rows.map((row) => ({
    name: row.name,
    root: row.root,
    project_id: row.project_id,
    online: row.is_known === 1 && row.offline_reason === null,
    offline_reason: row.offline_reason ?? undefined,
    state_since_ms: row.state_since_ms,
    started_ms: row.started_ms,
    kept_ms: row.kept_ms ?? row.started_ms,
    first_scan_ms: row.first_scan_ms ?? undefined,
    scan_began_ms: row.scan_began_ms ?? undefined,
    scan_ended_ms: row.scan_ended_ms ?? undefined,
    scan: row.scan_summary === null ? undefined : (JSON.parse(row.scan_summary) as ScanSummary),
    watch: row.watcher === null ? undefined : { watcher: row.watcher, reason: row.watch_reason ?? '' },
    deaf_reason: row.deaf_reason ?? undefined,
    deafness: deafnessOf(row),
    stages: byStage(counts.all(row.id) as (Amount & { stage: string })[]),
  }))
}

function deafnessOf({ rebuilt_times, rebuilt_ms, rebuilt_reason, given_up_times }: RawFolder): Deafness {
  const last = rebuilt_ms === null ? undefined : { at_ms: rebuilt_ms, why: rebuilt_reason ?? '' }
  return { rebuilt: rebuilt_times, last, given_up: given_up_times }
}

function byStage(counts: readonly (Amount & { stage: string })[]): Record<Stage, Amount> {
  const amounts = Object.fromEntries(stages.map((stage) => [stage, { files: 0, bytes: 0 }])) as Record<Stage, Amount>
  for (const { stage, files, bytes } of counts) {
    const amount = amounts[stageOf(stage)]
    amount.files += files
    amount.bytes += bytes
  }
  return amounts
}
