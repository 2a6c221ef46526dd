import type { Sqlite } from '../base/sqlite.ts'
import { minute_ms, second_ms } from '../base/time.ts'
import { to_send } from './content-queue.ts'
import { open_run_states } from './run-rows.ts'

/** Time servers move a clock back by less than this in normal days, and waits that are longer by it harm nobody. */
const setback_ms = minute_ms
/** The newest time is written again when it moved by this: not a page with every transaction. */
const keep_after_ms = 10 * second_ms

/**
 * Every wait in the ledger is a wall-clock time. When the clock ran ahead and is set right, in this life of the process or
 * before it, whatever lies beyond now is due now: nobody can tell how long it was meant to wait.
 */
export class WallClock {
  readonly #newest
  readonly #keep
  readonly #make_due
  readonly #on_set_back: () => void
  #newest_ms = Number.NEGATIVE_INFINITY
  #kept_ms = Number.NEGATIVE_INFINITY

  /** `on_set_back`: rows that others keep in memory changed. */
  constructor(database: Sqlite, on_set_back: () => void) {
    this.#on_set_back = on_set_back
    this.#newest = database.prepare('SELECT newest_ms FROM wall_clock').pluck()
    this.#keep = database.prepare('INSERT OR REPLACE INTO wall_clock (id, newest_ms) VALUES (1, ?)')
    const make_due = (table: string, due: string, condition: string) =>
      database.prepare(`UPDATE ${table} SET ${due} = @now_ms WHERE ${condition} AND ${due} > @now_ms`)
    this.#make_due = [
      make_due('files', 'not_before_ms', `state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL`),
      make_due('contents', 'not_before_ms', to_send),
      make_due('contents', 'not_before_ms', `state = 'ingesting'`),
      make_due('contents', 'not_before_ms', `state = 'removing'`),
      make_due('contents', 'remove_due_ms', `state = 'ready' AND remove_due_ms IS NOT NULL`),
      // Gone in the time that is taken back: its grace begins now.
      make_due('files', 'gone_ms', `state = 'gone'`),
      make_due('contents', 'labels_due_ms', `state = 'ready' AND labels_due_ms IS NOT NULL`),
      make_due('runs', 'not_before_ms', `state IN (${open_run_states})`),
      make_due('deliveries', 'not_before_ms', `state = 'wanted'`),
      make_due('alert_deliveries', 'not_before_ms', `state = 'wanted'`),
      // A scan of the time that is taken back answers nobody who asks from now on.
      make_due('folders', 'scan_wanted_ms', 'scan_wanted_ms IS NOT NULL'),
      database.prepare('UPDATE folders SET scan_began_ms = @now_ms - 1 WHERE scan_began_ms >= @now_ms'),
      database.prepare('DELETE FROM usage WHERE hour_ms > @now_ms'),
    ]
    this.reload()
  }

  /** In the transaction of every call that may write, before it does. */
  passes(now_ms: number): void {
    if (now_ms < this.#newest_ms - setback_ms) {
      for (const statement of this.#make_due) statement.run({ now_ms })
      this.#on_set_back()
      this.#newest_ms = Number.NEGATIVE_INFINITY
      this.#kept_ms = Number.NEGATIVE_INFINITY
    }
    this.#newest_ms = Math.max(this.#newest_ms, now_ms)
    if (this.#newest_ms < this.#kept_ms + keep_after_ms) return
    this.#keep.run(this.#newest_ms)
    this.#kept_ms = this.#newest_ms
  }

  /** After a rollback. */
  reload(): void {
    this.#kept_ms = (this.#newest.get() as number | undefined) ?? Number.NEGATIVE_INFINITY
    this.#newest_ms = this.#kept_ms
  }
}
