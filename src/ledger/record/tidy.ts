import type { Sqlite } from '../../base/files/sqlite.ts'
import { day_ms } from '../../base/time/time.ts'
import type { Tickets } from '../file/tickets.ts'
import type { LedgerLimits } from '../ledger.ts'
import type { ContentRows } from '../rows/content-rows.ts'
import type { Counts, Usage } from '../rows/counts.ts'
import type { DeliveryRows } from '../rows/delivery-rows.ts'
import type { FileRecorder } from './record-file.ts'
import type { RunRecorder } from './record-run.ts'

/** Rows deleted at once: a few milliseconds of the ledger's time. */
const tidy_rows = 5_000
/**
 * Days that the row of a gone file is kept. So a folder that returns within a season sends nothing
 * twice.
 */
const tombstone_days = 90

export interface TidyParts {
  usage: Usage
  files: FileRecorder
  counts: Counts
  runs: RunRecorder
  deliveries: DeliveryRows
  tickets: Tickets
  contents: ContentRows
}

/** Deletes what is no longer needed, a limited number of rows at a time. */
export function tidyLedger(database: Sqlite, parts: TidyParts, limits: LedgerLimits, at_ms: number): void {
  parts.usage.trim(at_ms)
  trimHistory(database, limits, tidy_rows, at_ms)
  dropTombstones(database, parts, at_ms)
  parts.runs.trim(at_ms)
  parts.deliveries.trimAlerts()
  eraseOldTickets(parts)
}

function dropTombstones(database: Sqlite, { files, counts }: TidyParts, at_ms: number): void {
  const old = database
    .prepare(`SELECT folder, path FROM files WHERE state = 'gone' AND gone_ms < ? LIMIT ?`)
    .all(at_ms - tombstone_days * day_ms, tidy_rows) as { folder: number; path: string }[]
  for (const { folder, path } of old) files.dropTombstone(folder, path)
  counts.flush()
}

/** A crash between the two commits of an erasure can leave a ticket behind. */
function eraseOldTickets({ tickets, contents }: TidyParts): void {
  for (const content of tickets.contents()) {
    const state = contents.get(content)?.state
    if (state !== 'reserving' && state !== 'reserved' && state !== 'sent') tickets.erase(content)
  }
}

/** Deletes rows that are too old or too many, a limited number at a time. */
function trimHistory(
  database: Sqlite,
  { history_days, max_history_rows }: LedgerLimits,
  most_at_once: number,
  at_ms: number,
): void {
  const newest = database.prepare('SELECT max(id) FROM history').pluck().get() as number | null
  database
    .prepare(
      // It reads only the oldest rows: a read of the whole history takes as long as a scan of the
      // folder.
      `DELETE FROM history WHERE id IN (
         SELECT id FROM (SELECT id, at_ms FROM history ORDER BY id LIMIT ?) WHERE id <= ? OR at_ms < ?)`,
    )
    .run(most_at_once, (newest ?? 0) - max_history_rows, at_ms - history_days * day_ms)
}
