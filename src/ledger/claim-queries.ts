import type { Sqlite } from '../base/sqlite.ts'
import { large_bytes } from '../domain/file.ts'
import { to_send } from './content-queue.ts'
import { best_copy_first } from './copies.ts'
import { most_sources } from './ledger.ts'

const to_follow = `state = 'ingesting'`
const to_label = `state = 'ready' AND labels_due_ms IS NOT NULL`
/** Those of a `folder`: the large ones where `is_large` is 1, and the others where it is 0. */
const looks_in = `files INDEXED BY files_to_look_in
  WHERE folder = @folder AND (size >= ${large_bytes}) = @is_large AND state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL`
const not_excepted =
  'project NOT IN (SELECT id FROM projects WHERE project_id IN (SELECT value FROM json_each(@except)))'
// What only has to be completed is small, whatever its size.
const of_sizes = `(size <= @up_to OR state = 'sent')`

/**
 * Reads what may be claimed, by the partial indexes: rows that are done cost nothing. Those of contents take `now`, `limit` and
 * `except` (project ids as JSON), those to send `up_to` bytes besides, and answer ids: most of what is due is claimed already.
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
