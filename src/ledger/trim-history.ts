import type { Sqlite } from '../base/sqlite.ts'
import { day_ms } from '../base/time.ts'
import type { LedgerLimits } from './ledger.ts'

/** Drops what is too old or one too many, a bounded piece at a time. */
export function trimHistory(
  database: Sqlite,
  { history_days, max_history_rows }: LedgerLimits,
  most_at_once: number,
  at_ms: number,
): void {
  const newest = database.prepare('SELECT max(id) FROM history').pluck().get() as number | null
  database
    .prepare(
      // Only the oldest rows are read: the whole history takes as long as a scan of the folder it is about.
      `DELETE FROM history WHERE id IN (
         SELECT id FROM (SELECT id, at_ms FROM history ORDER BY id LIMIT ?) WHERE id <= ? OR at_ms < ?)`,
    )
    .run(most_at_once, (newest ?? 0) - max_history_rows, at_ms - history_days * day_ms)
}
