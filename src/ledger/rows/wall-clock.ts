import { readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { day_ms, minute_ms, second_ms } from '../../base/time/time.ts'
import { to_send } from './content-rows.ts'
import { open_run_states } from './run-rows.ts'

/** Time servers normally turn a clock back by less. So much longer waits do no harm. */
const setback_ms = minute_ms
/** Step of the stored newest time, so that not every transaction writes a page. */
const keep_after_ms = 10 * second_ms
/** Two runs of `sync` may be a day apart. A longer silence may have been a jump of the clock. */
const silence_ms = day_ms

/**
 * The clock was turned back and has not reached `from_ms` again. Which of the two times was right
 * cannot be known.
 */
interface TimeTakenBack {
  from_ms: number
  to_ms: number
}

/**
 * Every wait in the ledger ends at a wall-clock time. When a clock that ran ahead is set right,
 * during this process or before it, every time after now becomes due now: how long each wait was
 * meant to be is not known.
 *
 * The clock may also have been right, and be set to a wrong past (a machine whose own clock
 * stopped, until a time server answers). Being due too early harms only one wait: the grace of
 * deleted files, which ends with a removal. So until the clock reaches its old time, a jump ahead
 * takes at most a day of the grace, and the jump that reaches the old time takes nothing. A clock
 * that is wrong for longer than its error reaches its old time by itself. A jump ahead after that
 * may be a machine that slept, so it counts as time.
 */
export function createWallClock(database: Sqlite, on_set_back: () => void) {
  let newest_ms = Number.NEGATIVE_INFINITY
  let kept_ms = Number.NEGATIVE_INFINITY
  let taken_back: TimeTakenBack | undefined
  const row_sql = database.prepare(
    'SELECT newest_ms, back_from_ms AS from_ms, back_to_ms AS to_ms FROM wall_clock',
  )
  const keep = database.prepare(
    'INSERT OR REPLACE INTO wall_clock (id, newest_ms, back_from_ms, back_to_ms) VALUES (1, ?, ?, ?)',
  )
  const add_to_graces = database.prepare(
    `UPDATE files SET gone_ms = min(@now_ms, gone_ms + @ms) WHERE state = 'gone' AND gone_ms >= @since_ms`,
  )
  const make_due = (table: string, due: string, condition: string) =>
    database.prepare(`UPDATE ${table} SET ${due} = @now_ms WHERE ${condition} AND ${due} > @now_ms`)
  const make_due_sql = [
    make_due(
      'files',
      'not_before_ms',
      `state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL`,
    ),
    make_due('contents', 'not_before_ms', to_send),
    make_due('contents', 'not_before_ms', `state = 'ingesting'`),
    make_due('contents', 'not_before_ms', `state = 'removing'`),
    make_due('contents', 'remove_due_ms', `state = 'ready' AND remove_due_ms IS NOT NULL`),
    // Files that went in the time that is taken back: their grace begins now.
    make_due('files', 'gone_ms', `state = 'gone'`),
    make_due('contents', 'labels_due_ms', `state = 'ready' AND labels_due_ms IS NOT NULL`),
    make_due('runs', 'not_before_ms', `state IN (${open_run_states})`),
    make_due('deliveries', 'not_before_ms', `state = 'wanted'`),
    // A scan from the time that is taken back answers no request from now on.
    make_due('folders', 'scan_wanted_ms', 'scan_wanted_ms IS NOT NULL'),
    make_due('folders', 'moved_ms', 'moved_ms IS NOT NULL'),
    make_due('partings', 'at_ms', 'true'),
    database.prepare(
      'UPDATE folders SET scan_began_ms = @now_ms - 1 WHERE scan_began_ms >= @now_ms',
    ),
    database.prepare('DELETE FROM usage WHERE hour_ms > @now_ms'),
  ]
  reload()

  /** Notes the time of a call. Each transaction calls this before it writes. */
  function passes(now_ms: number): void {
    if (now_ms < newest_ms - setback_ms) setBack(now_ms)
    else if (taken_back) goOnFrom(taken_back, now_ms)
    newest_ms = Math.max(newest_ms, now_ms)
    if (newest_ms < kept_ms + keep_after_ms) return
    keep.run(newest_ms, taken_back?.from_ms, taken_back?.to_ms)
    kept_ms = newest_ms
  }

  function setBack(now_ms: number): void {
    for (const statement of make_due_sql) statement.run({ now_ms })
    on_set_back()
    const { from_ms, to_ms } = taken_back ?? { from_ms: newest_ms, to_ms: now_ms }
    taken_back = { from_ms: Math.max(from_ms, newest_ms), to_ms: Math.min(to_ms, now_ms) }
    newest_ms = Number.NEGATIVE_INFINITY
    kept_ms = Number.NEGATIVE_INFINITY
  }

  function goOnFrom({ from_ms, to_ms }: TimeTakenBack, now_ms: number): void {
    const is_over = now_ms >= from_ms - setback_ms
    const jump_ms = now_ms - newest_ms - (is_over ? 0 : silence_ms)
    if (jump_ms > 0) add_to_graces.run({ now_ms, ms: jump_ms, since_ms: to_ms })
    if (!is_over) return
    taken_back = undefined
    kept_ms = Number.NEGATIVE_INFINITY
  }

  /** Call this after a rollback. */
  function reload(): void {
    const row = readOne<{ newest_ms: number } & Partial<TimeTakenBack>>(row_sql)
    newest_ms = row?.newest_ms ?? Number.NEGATIVE_INFINITY
    kept_ms = newest_ms
    const { from_ms, to_ms } = row ?? {}
    taken_back = from_ms === undefined || to_ms === undefined ? undefined : { from_ms, to_ms }
  }

  return { passes, reload }
}
