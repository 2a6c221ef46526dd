import type { Sqlite } from '../../base/files/sqlite.ts'
import { large_bytes } from '../../domain/file.ts'
import { max_sources, type Pending } from '../ledger.ts'
import { to_send } from '../rows/content-rows.ts'
import { best_copy_first } from '../rows/file-rows.ts'
import { names_due } from '../rows/name-rows.ts'
import { deciding, doubted } from '../rows/refusal-sql.ts'

/** A claim of contents or runs. It leaves out those of these projects and those in flight. */
export interface ClaimQuery {
  limit: number
  except_projects: readonly string[]
  in_flight: readonly number[]
}

const to_follow = `state = 'ingesting'`
const to_label = `state = 'ready' AND labels_due_ms IS NOT NULL`
/** Files of one `folder` that wait for a check: large ones if `is_large` is 1, else the others. */
const checks_in = `files INDEXED BY files_to_check_in
  WHERE folder = @folder AND (size >= ${large_bytes}) = @is_large AND state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL`
/** `except`: project ids as JSON. */
export const not_excepted =
  'project NOT IN (SELECT id FROM projects WHERE project_id IN (SELECT value FROM json_each(@except)))'
// A content in state `sent` only needs the call `complete`, whatever its size.
const of_sizes = `(size <= @up_to OR state = 'sent')`

/**
 * Queries for work that may be claimed. They use the partial indexes, so finished rows cost
 * nothing. Queries for contents take `now`, `limit` and `except`, those for uploads also `up_to`
 * (bytes) and `in_flight` (ids as JSON). They return ids only, because most of what is due is
 * claimed already.
 */
export function createClaimQueries(database: Sqlite) {
  const select = (condition: string, due = 'not_before_ms') =>
    database
      .prepare(
        `SELECT id FROM contents WHERE ${condition} AND ${due} <= @now AND ${not_excepted} ORDER BY ${due}, id LIMIT @limit`,
      )
      .pluck()
  const next = (condition: string, due = 'not_before_ms') =>
    database
      .prepare(`SELECT min(${due}) FROM contents WHERE ${condition} AND ${due} > @now`)
      .pluck()
  return {
    checks: database
      .prepare(`SELECT path FROM ${checks_in} AND not_before_ms <= @now ORDER BY not_before_ms`)
      .pluck(),
    send_newest: database
      .prepare(
        `SELECT id FROM contents INDEXED BY contents_newest WHERE ${to_send} AND not_before_ms <= @now AND ${of_sizes}
           AND ${not_excepted} ORDER BY newest_ms DESC, id LIMIT @limit`,
      )
      .pluck(),
    send_as_found: select(`${to_send} AND ${of_sizes}`),
    in_doubt: database.prepare(`${doubted} LIMIT 1`),
    send_deciding: database.prepare(deciding(`${of_sizes} AND ${not_excepted}`)).pluck(),
    to_complete: select(`state = 'sent'`),
    follow: select(to_follow),
    look: database
      .prepare(
        `SELECT content FROM readings JOIN contents ON id = content WHERE due_ms <= @now AND state = 'ready'
           AND ${not_excepted} ORDER BY due_ms LIMIT @limit`,
      )
      .pluck(),
    label: select(to_label, 'labels_due_ms'),
    next_due: {
      check: database
        .prepare(`SELECT min(not_before_ms) FROM ${checks_in} AND not_before_ms > @now`)
        .pluck(),
      send: next(to_send),
      follow: database
        .prepare(
          `SELECT min(due) FROM (SELECT min(not_before_ms) AS due FROM contents WHERE ${to_follow} AND not_before_ms > @now
             UNION ALL SELECT min(due_ms) FROM readings WHERE due_ms > @now)`,
        )
        .pluck(),
      label: next(to_label, 'labels_due_ms'),
    },
    a_path: database.prepare(
      `SELECT folder, path FROM files WHERE content = ? ORDER BY ${best_copy_first} LIMIT 1`,
    ),
    sources: database
      .prepare(
        `SELECT * FROM files WHERE content = ? AND state = 'present'
           AND +folder IN (SELECT id FROM folders WHERE configured = 1 AND offline_reason IS NULL) LIMIT ${max_sources}`,
      )
      .safeIntegers(true),
    of_configured: database.prepare(
      `SELECT 1 FROM files JOIN folders ON folders.id = +files.folder AND folders.configured = 1
         WHERE files.content = ? AND files.state = 'present' LIMIT 1`,
    ),
    // Work is deferred while its folder is offline. The mark `out_of_reach` is part of the row and
    // nowhere else, so the next process knows it too. Only rows with it become due when a folder
    // returns. In a content it replaces an earlier error; a file keeps the reason of its block.
    defer_check: database.prepare(
      `UPDATE files SET not_before_ms = ?, since_ms = NULL, reason = coalesce(reason, 'out_of_reach') WHERE folder = ? AND path = ?`,
    ),
  }
}

/** No pass waits for labels that a project refuses or cannot take now. */
const labels_work = `project NOT IN
  (SELECT projects.id FROM projects JOIN troubles ON about = 'labels:' || project_id)`

/** Counting stops here: `sync` asks only whether work is left, and progress bars read `counts`. */
const counted = 1_000

/** Counts work that becomes due by itself until a time, with the partial indexes of claims. */
export function createPendingWork(database: Sqlite) {
  const count = (condition: string, due = 'not_before_ms') =>
    database.prepare(
      `SELECT count(*) AS n, min(due) AS due FROM
         (SELECT ${due} AS due FROM contents WHERE ${condition} AND ${due} <= @until ORDER BY ${due} LIMIT ${counted})`,
    )
  // A `seen` file counts ahead of its check, because it settles soon. A `blocked` file counts only
  // when its check is due, because it may stay blocked for ever.
  const check_sql = database.prepare(
    `SELECT count(*) AS n, min(due) AS due FROM
       (SELECT not_before_ms AS due FROM files
        WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL AND not_before_ms <= @until
          AND (state = 'seen' OR not_before_ms <= @now) ORDER BY not_before_ms LIMIT ${counted})`,
  )
  const send_sql = count(to_send)
  const complete = count(`state = 'sent'`)
  const follow_sql = count(to_follow)
  const label_sql = count(`${to_label} AND ${labels_work}`, 'labels_due_ms')
  const name_sql = database
    .prepare(`SELECT count(*) FROM (SELECT 1 ${names_due} LIMIT ${counted})`)
    .pluck()
  const remove = database
    .prepare(
      `SELECT (SELECT count(*) FROM
           (SELECT 1 FROM contents WHERE state = 'ready' AND remove_due_ms <= @now LIMIT ${counted}))
         + (SELECT count(*) FROM (SELECT 1 FROM contents WHERE state = 'removing' AND not_before_ms <= @now LIMIT ${counted}))`,
    )
    .pluck()
  const elsewhere_sql = database.prepare(
    `SELECT 1 FROM contents WHERE ${not_excepted}
       AND (${to_send} AND not_before_ms <= @until
         OR ${to_follow} AND not_before_ms <= @until
         OR ${to_label} AND labels_due_ms <= @until) LIMIT 1`,
  )

  function elsewhere(except_projects: readonly string[], until_ms: number): boolean {
    return (
      elsewhere_sql.get({ except: JSON.stringify(except_projects), until: until_ms }) !== undefined
    )
  }

  /** With `held_for_budget` (daily limit or pause), only contents in `sent` count as uploads. */
  function until(until_ms: number, now_ms: number, held_for_budget: boolean): Pending {
    const check = check_sql.get({ until: until_ms, now: now_ms }) as Due
    const send = (held_for_budget ? complete : send_sql).get({ until: until_ms }) as Due
    const follow = follow_sql.get({ until: until_ms }) as Due
    const label = label_sql.get({ until: until_ms }) as Due
    const dues = [check, send, follow, label].flatMap(({ due }) => (due === null ? [] : [due]))
    return {
      check: check.n,
      send: send.n,
      follow: follow.n,
      label: label.n,
      name: name_sql.get({ until: until_ms, now: now_ms }) as number,
      remove: remove.get({ now: now_ms }) as number,
      next_due_ms: dues.length === 0 ? undefined : Math.min(...dues),
    }
  }

  return { elsewhere, until }
}

interface Due {
  n: number
  due: number | null
}
