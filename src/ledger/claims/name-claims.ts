import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { minute_ms, second_ms } from '../../base/time/time.ts'
import type { Claimed, NameWork } from '../ledger.ts'
import { to_send } from '../rows/content-rows.ts'
import { type NameRows, names_due } from '../rows/name-rows.ts'
import { is_asked_about_sql } from '../rows/run-rows.ts'
import type { PauseRow } from '../rows/trouble-rows.ts'
import { type ClaimQuery, not_excepted } from './claim-queries.ts'

/** Names that one claim compares with the files: a few milliseconds. */
const max_examined = 100
/** Uploads come first. A name waits for them, and is due again after this time. */
const behind_uploads_ms = 5 * second_ms
/** Claims assets whose name on the service is to be compared with it, or changed. */
export function createNameClaims(
  database: Sqlite,
  { names, pause, isHeld }: { names: NameRows; pause: PauseRow; isHeld(now_ms: number): boolean },
) {
  const due = database.prepare(
    `SELECT content, project_id, asset_id ${names_due} AND ${not_excepted} ORDER BY due_ms LIMIT ${max_examined}`,
  )
  const next = database.prepare('SELECT min(due_ms) FROM asset_names WHERE due_ms > ?').pluck()
  const uploads = database.prepare(
    `SELECT 1 FROM contents WHERE ${to_send} AND not_before_ms <= @now AND ${not_excepted} LIMIT 1`,
  )
  const asked = database.prepare(is_asked_about_sql)

  function claim(
    { limit, except_projects, in_flight }: ClaimQuery,
    now_ms: number,
  ): Claimed<NameWork> {
    const query = { now: now_ms, until: now_ms, except: JSON.stringify(except_projects) }
    if (pause.holds(now_ms)) return { work: [], next_due_ms: undefined }
    const found = readAll<Omit<NameWork, 'names' | 'wanted' | 'name'>>(due, query)
    const is_behind = !isHeld(now_ms) && uploads.get(query) !== undefined
    if (found.length > 0 && is_behind) return { work: [], next_due_ms: now_ms + behind_uploads_ms }
    const work: NameWork[] = []
    for (const row of found) {
      if (work.length === limit) break
      if (in_flight.includes(row.content)) continue
      const [shown, ...others] = names.namesOf(row.content)
      const wanted = names.wanted(row.content, shown)
      const is_settled = !wanted || wanted.text === shown?.text
      if (!shown || (is_settled && others.length === 0)) names.due(row.content, undefined)
      // An answer that is being written would cite it by a name that the run does not know.
      else if (asked.get(row.content)) names.due(row.content, now_ms + minute_ms)
      else work.push({ ...row, name: shown.text, names: [shown, ...others], wanted })
    }
    const is_more = found.length === max_examined || work.length === limit
    const next_due_ms = is_more ? now_ms : readOne<number>(next, now_ms)
    return { work, next_due_ms }
  }

  return { claim }
}
