import { readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { day_ms, minute_ms, second_ms } from '../../base/time/time.ts'
import { to_send } from '../content-queue.ts'
import { open_run_states } from './run-rows.ts'

/** Time servers move a clock back by less than this in normal days, and waits that are longer by it harm nobody. */
const setback_ms = minute_ms
/** The newest time is written again when it moved by this: not a page with every transaction. */
const keep_after_ms = 10 * second_ms
/** Between two calls so much counts as time that passed: passes may be a day apart. What is longer may have been a jump. */
const silence_ms = day_ms

/** The clock was set back, and has not come to where it was: it ran ahead before, or is wrong now, and nobody can tell which. */
interface TimeTakenBack {
  from_ms: number
  to_ms: number
}

/**
 * Every wait in the ledger is a wall-clock time. When the clock ran ahead and is set right, in this life of the process or
 * before it, whatever lies beyond now is due now: nobody can tell how long it was meant to wait.
 *
 * It may also have been right, and be set to a past that is wrong (a machine whose own clock stopped, until a time server answers).
 * To be due sooner harms no wait but the grace of what was deleted, which ends with a removal. So in time that was taken back a jump
 * ahead takes a day of it at the most, and the one that brings the clock to where it was takes nothing. A clock that is wrong for longer
 * than its error comes to where it was by itself: a jump ahead after that cannot be told from a machine that slept, and counts as time.
 */
export function createWallClock(database: Sqlite, on_set_back: () => void) {
  let newest_ms = Number.NEGATIVE_INFINITY
  let kept_ms = Number.NEGATIVE_INFINITY
  let taken_back: TimeTakenBack | undefined
  const row_sql = database.prepare('SELECT newest_ms, back_from_ms AS from_ms, back_to_ms AS to_ms FROM wall_clock')
  const keep = database.prepare(
    'INSERT OR REPLACE INTO wall_clock (id, newest_ms, back_from_ms, back_to_ms) VALUES (1, ?, ?, ?)',
  )
  const add_to_graces = database.prepare(
    `UPDATE files SET gone_ms = min(@now_ms, gone_ms + @ms) WHERE state = 'gone' AND gone_ms >= @since_ms`,
  )
  const make_due = (table: string, due: string, condition: string) =>
    database.prepare(`UPDATE ${table} SET ${due} = @now_ms WHERE ${condition} AND ${due} > @now_ms`)
  const make_due_sql = [
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
    // A scan of the time that is taken back answers nobody who asks from now on.
    make_due('folders', 'scan_wanted_ms', 'scan_wanted_ms IS NOT NULL'),
    make_due('folders', 'moved_ms', 'moved_ms IS NOT NULL'),
    make_due('partings', 'at_ms', 'true'),
    database.prepare('UPDATE folders SET scan_began_ms = @now_ms - 1 WHERE scan_began_ms >= @now_ms'),
    database.prepare('DELETE FROM usage WHERE hour_ms > @now_ms'),
  ]
  reload()

  /** In the transaction of every call that may write, before it does. */
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

  /** After a rollback. */
  function reload(): void {
    const row = readOne<{ newest_ms: number } & Partial<TimeTakenBack>>(row_sql)
    newest_ms = row?.newest_ms ?? Number.NEGATIVE_INFINITY
    kept_ms = newest_ms
    const { from_ms, to_ms } = row ?? {}
    taken_back = from_ms === undefined || to_ms === undefined ? undefined : { from_ms, to_ms }
  }

  return { passes, reload }
}

export type WallClock = ReturnType<typeof createWallClock>
