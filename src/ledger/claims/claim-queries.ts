import type { Sqlite } from '../../base/files/sqlite.ts'
import { day_ms, hour_ms, minute_ms } from '../../base/time/time.ts'
import { large_bytes } from '../../domain/file.ts'
import { to_send } from '../content-queue.ts'
import { most_sources } from '../ledger.ts'
import { best_copy_first } from '../rows/copies.ts'
import type { Usage } from '../rows/counts.ts'

const to_follow = `state = 'ingesting'`
const to_label = `state = 'ready' AND labels_due_ms IS NOT NULL`
/** Files of one `folder` that wait for a check: large ones if `is_large` is 1, else the others. */
const looks_in = `files INDEXED BY files_to_look_in
  WHERE folder = @folder AND (size >= ${large_bytes}) = @is_large AND state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL`
const not_excepted =
  'project NOT IN (SELECT id FROM projects WHERE project_id IN (SELECT value FROM json_each(@except)))'
// A content in state `sent` only needs the call `complete`, whatever its size.
const of_sizes = `(size <= @up_to OR state = 'sent')`

/**
 * Queries for work that may be claimed. They use the partial indexes, so finished rows cost
 * nothing. Queries for contents take `now`, `limit` and `except` (project ids as JSON), those for
 * uploads also `up_to` (bytes). They return ids only, because most of what is due is claimed
 * already.
 */
export function createClaimQueries(database: Sqlite) {
  const select = (condition: string, due = 'not_before_ms') =>
    database
      .prepare(
        `SELECT id FROM contents WHERE ${condition} AND ${due} <= @now AND ${not_excepted} ORDER BY ${due}, id LIMIT @limit`,
      )
      .pluck()
  const next = (table: string, condition: string, due = 'not_before_ms') =>
    database.prepare(`SELECT min(${due}) FROM ${table} WHERE ${condition} AND ${due} > ?`).pluck()
  const looks = database
    .prepare(`SELECT path FROM ${looks_in} AND not_before_ms <= @now ORDER BY not_before_ms`)
    .pluck()
  const send_newest = database
    .prepare(
      `SELECT id FROM contents INDEXED BY contents_newest WHERE ${to_send} AND not_before_ms <= @now AND ${of_sizes}
         AND ${not_excepted} ORDER BY newest_ms DESC, id LIMIT @limit`,
    )
    .pluck()
  const send_as_found = select(`${to_send} AND ${of_sizes}`)
  const to_complete = select(`state = 'sent'`)
  const follow = select(to_follow)
  const label = select(to_label, 'labels_due_ms')
  const next_due = {
    look: database.prepare(`SELECT min(not_before_ms) FROM ${looks_in} AND not_before_ms > @now`).pluck(),
    send: next('contents', to_send),
    follow: next('contents', to_follow),
    label: next('contents', to_label, 'labels_due_ms'),
  }
  const a_path = database.prepare(
    `SELECT folder, path FROM files WHERE content = ? ORDER BY ${best_copy_first} LIMIT 1`,
  )
  const sources = database
    .prepare(
      `SELECT * FROM files WHERE content = ? AND state = 'present'
         AND +folder IN (SELECT id FROM folders WHERE configured = 1 AND offline_reason IS NULL) LIMIT ${most_sources}`,
    )
    .safeIntegers(true)

  return { sources, a_path, next_due, label, follow, to_complete, send_as_found, send_newest, looks }
}

/** Delay of work whose files are all in folders that are offline or no longer configured. */
const out_of_reach_ms = 5 * minute_ms

/**
 * Defers work while its folder is offline, and makes it due as soon as a folder comes back. The
 * mark is part of the row and nowhere else, so the next process knows it too.
 */
export function createOutOfReach(database: Sqlite) {
  const defer_content = database.prepare(
    // This replaces an earlier error: only rows with this code become due when a folder returns.
    `UPDATE contents SET not_before_ms = ?, error_code = 'out_of_reach', error_message = 'its folder is not there' WHERE id = ?`,
  )
  const defer_look = database.prepare(
    `UPDATE files SET not_before_ms = ?, reason = coalesce(reason, 'out_of_reach') WHERE folder = ? AND path = ?`,
  )
  // Without rows due already: they need no change, and a backlog may have a million of them.
  const return_contents = database.prepare(
    `UPDATE contents SET not_before_ms = @at_ms, error_code = NULL, error_message = NULL
       WHERE ${to_send} AND not_before_ms > @at_ms AND error_code = 'out_of_reach'`,
  )
  const return_looks = database.prepare(
    `UPDATE files SET not_before_ms = @at_ms, reason = NULL
       WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL AND reason = 'out_of_reach'`,
  )

  function deferContent(content: number, now_ms: number): void {
    defer_content.run(now_ms + out_of_reach_ms, content)
  }

  function deferLook(folder: number, path: string, now_ms: number): void {
    defer_look.run(now_ms + out_of_reach_ms, folder, path)
  }

  /** Makes work that waits for a folder due now. The next claim defers it again if need be. */
  function bringBack(at_ms: number): void {
    return_contents.run({ at_ms })
    return_looks.run({ at_ms })
  }

  return { deferContent, deferLook, bringBack }
}

/** Bytes that `uploads.max_bytes_per_day` leaves for one claim. Bytes in flight count as sent. */
export class DailyBudget {
  #left: number
  #untouched: boolean
  /** True once a content had to wait. Smaller ones must not pass it, or it might wait for ever. */
  exhausted = false

  constructor(limit: number | undefined, usage: Usage, in_flight_bytes: number, now_ms: number) {
    const used = limit === undefined ? 0 : usage.over('sent', day_ms, now_ms).bytes + in_flight_bytes
    this.#left = (limit ?? Number.POSITIVE_INFINITY) - used
    this.#untouched = used === 0
  }

  /**
   * Returns false if these bytes must wait. A content larger than the daily limit passes if nothing
   * else was sent within a day. Otherwise it would never go.
   */
  take(bytes: number): boolean {
    if (this.exhausted || (bytes > this.#left && !this.#untouched)) {
      this.exhausted = true
      return false
    }
    this.#left -= bytes
    if (bytes > 0) this.#untouched = false
    return true
  }
}

/** Next time at which the budget can grow, Unix ms: usage is counted by the hour. */
export function nextHour(now_ms: number): number {
  return (Math.floor(now_ms / hour_ms) + 1) * hour_ms
}

/**
 * Remembers whether all contents to send wait for the budget. They do not move soon, so `sync` does
 * not wait for them. Each claim notes it: true only if it found nothing to send and nothing is in
 * flight.
 */
export function createHeldForBudget() {
  let until_ms = 0

  function note(is_held: boolean, now_ms: number): void {
    until_ms = is_held ? nextHour(now_ms) : 0
  }

  /** Called when the limit or a pause changes. */
  function forget(): void {
    until_ms = 0
  }

  function holds(now_ms: number): boolean {
    return now_ms < until_ms
  }

  return { note, forget, holds }
}
