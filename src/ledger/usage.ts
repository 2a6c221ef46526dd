import type { Sqlite } from '../base/sqlite.ts'
import { day_ms, hour_ms } from '../base/time.ts'

/** The last of them by the id of a folder: what was removed on the service without a person's word. */
export type Used = 'wanted' | 'sent' | `removed in ${number}`

/** Rolling sums by the hour: what the brake and the limits look at. Kept for a week, for people. */
export class Usage {
  readonly #add
  readonly #since
  readonly #trim

  constructor(database: Sqlite) {
    this.#add = database.prepare(
      `INSERT INTO usage (what, hour_ms, files, bytes) VALUES (?, ?, 1, ?)
       ON CONFLICT (what, hour_ms) DO UPDATE SET files = files + 1, bytes = bytes + excluded.bytes`,
    )
    this.#since = database.prepare(
      'SELECT coalesce(sum(files), 0) AS files, coalesce(sum(bytes), 0) AS bytes FROM usage WHERE what = ? AND hour_ms > ?',
    )
    this.#trim = database.prepare('DELETE FROM usage WHERE hour_ms < ?')
  }

  add(what: Used, bytes: number, at_ms: number): void {
    this.#add.run(what, Math.floor(at_ms / hour_ms) * hour_ms, bytes)
  }

  /** Sum of the hours that began less than `span_ms` before `at_ms`. */
  over(what: Used, span_ms: number, at_ms: number): { files: number; bytes: number } {
    return this.#since.get(what, at_ms - span_ms) as { files: number; bytes: number }
  }

  trim(at_ms: number): void {
    this.#trim.run(at_ms - 7 * day_ms)
  }
}
