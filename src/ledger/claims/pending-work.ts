import type { Sqlite } from '../../base/files/sqlite.ts'
import { to_send } from '../content-queue.ts'
import type { Pending } from '../ledger.ts'

/** Counting stops here: `sync` asks only whether work is left, and progress bars read `counts`. */
const counted = 1_000

/** Counts work that becomes due by itself until a time, with the partial indexes of claims. */
export function createPendingWork(database: Sqlite) {
  const count = (table: string, condition: string, due: string) =>
    database.prepare(
      `SELECT count(*) AS n, min(due) AS due FROM
         (SELECT ${due} AS due FROM ${table} WHERE ${condition} AND ${due} <= ? ORDER BY ${due} LIMIT ${counted})`,
    )
  // A `seen` file counts ahead of its check, because it settles soon. A `blocked` file counts only
  // when its check is due, because it may stay blocked for ever.
  const look_sql = database.prepare(
    `SELECT count(*) AS n, min(due) AS due FROM
       (SELECT not_before_ms AS due FROM files
        WHERE state IN ('seen', 'blocked') AND not_before_ms IS NOT NULL AND not_before_ms <= @until
          AND (state = 'seen' OR not_before_ms <= @now) ORDER BY not_before_ms LIMIT ${counted})`,
  )
  const send_sql = count('contents', to_send, 'not_before_ms')
  const complete = count('contents', `state = 'sent'`, 'not_before_ms')
  const follow_sql = count('contents', `state = 'ingesting'`, 'not_before_ms')
  const remove = database
    .prepare(
      `SELECT (SELECT count(*) FROM
           (SELECT 1 FROM contents WHERE state = 'ready' AND remove_due_ms <= @now LIMIT ${counted}))
         + (SELECT count(*) FROM (SELECT 1 FROM contents WHERE state = 'removing' AND not_before_ms <= @now LIMIT ${counted}))`,
    )
    .pluck()
  const elsewhere_sql = database.prepare(
    `SELECT 1 FROM contents WHERE project NOT IN
         (SELECT id FROM projects WHERE project_id IN (SELECT value FROM json_each(@except)))
       AND (${to_send} AND not_before_ms <= @until
         OR state = 'ingesting' AND not_before_ms <= @until
         OR state = 'ready' AND labels_due_ms IS NOT NULL AND labels_due_ms <= @until) LIMIT 1`,
  )
  const label_sql = count('contents', `state = 'ready' AND labels_due_ms IS NOT NULL`, 'labels_due_ms')

  function elsewhere(except: readonly string[], until_ms: number): boolean {
    return elsewhere_sql.get({ except: JSON.stringify(except), until: until_ms }) !== undefined
  }

  /** With `held_for_budget` (daily limit or pause), only contents in `sent` count as uploads. */
  function until(until_ms: number, now_ms: number, held_for_budget: boolean): Pending {
    const look = look_sql.get({ until: until_ms, now: now_ms }) as Due
    const to_send = held_for_budget ? complete : send_sql
    const [send, follow, label] = [to_send, follow_sql, label_sql].map(
      (statement) => statement.get(until_ms) as Due,
    ) as [Due, Due, Due]
    const dues = [look, send, follow, label].flatMap(({ due }) => (due === null ? [] : [due]))
    return {
      look: look.n,
      send: send.n,
      follow: follow.n,
      label: label.n,
      remove: remove.get({ now: now_ms }) as number,
      next_due_ms: dues.length === 0 ? undefined : Math.min(...dues),
    }
  }

  return { elsewhere, until }
}

export type PendingWork = ReturnType<typeof createPendingWork>

interface Due {
  n: number
  due: number | null
}
