import type { Sqlite, Statement } from '../../base/files/sqlite.ts'
import { type ContentProgress, type ContentState, newContent } from '../../domain/content.ts'

/** Worker that handles a content next: `send` is the uploader, `follow` the follower. */
const queue_of: Record<ContentState, 'send' | 'follow' | undefined> = {
  wanted: 'send',
  reserving: 'send',
  reserved: 'send',
  sent: 'send',
  ingesting: 'follow',
  ready: undefined,
  refused: undefined,
  type_refused: undefined,
  removed_on_service: undefined,
  abandoned: undefined,
  removing: undefined,
}

export const content_states = Object.keys(queue_of)

/** SQL for the value of `queue` in a row of `contents`. */
export const queue_by_state = `CASE state ${Object.entries(queue_of)
  .map(([state, queue]) => `WHEN '${state}' THEN ${queue ? `'${queue}'` : 'NULL'}`)
  .join(' ')} END`

/** Conditions on a row of `contents`, word for word as in its indexes, or SQLite ignores these. */
export const to_send = `queue = 'send'`
export const underway = 'queue IS NOT NULL'
export const in_need = `contents.state IN ('refused', 'type_refused', 'removed_on_service')`

export interface ContentRow extends ContentProgress {
  id: number
  project: number
  md5: string
  size: number
  wanted_ms: number
}

export interface NewTimes {
  not_before_ms: number
  wanted_ms: number
  newest_ms: number
}

const fixed_columns = [
  'id',
  'project',
  'md5',
  'size',
  'wanted_ms',
] as const satisfies readonly (keyof ContentRow)[]
/** The columns that a fact may change. */
const progress_columns = [
  'state',
  'asset_id',
  'made_here',
  'without_md5',
  'any_type',
  'not_before_ms',
  'attempts',
  'failing_since_ms',
  'slot_failures',
  'vanished',
  'error_code',
  'error_message',
  'intended_ms',
  'sent_ms',
  'following_since_ms',
  'ready_ms',
] as const satisfies readonly (keyof ContentProgress)[]
const columns = [...fixed_columns, ...progress_columns]

/** The columns that `contentRow` reads as `raw`: a row as an object costs twice as much. */
export const content_columns = columns.join()

/** Reads and writes single rows of `contents`; knows nothing of files, counts or history. */
export function createContentRows(database: Sqlite) {
  /** Statements of `update`, by the columns that they write. */
  const updates = new Map<string, Statement>()
  const select = (condition: string) =>
    database.prepare(`SELECT ${content_columns} FROM contents WHERE ${condition}`).raw()
  const get_sql = select('id = ?')
  const find_sql = select('md5 = ? AND size = ? AND project = ?')
  const insert = database.prepare(
    `INSERT INTO contents (project, md5, size, state, queue, not_before_ms, wanted_ms, newest_ms)
       VALUES (?, ?, ?, 'wanted', 'send', ?, ?, ?) ON CONFLICT DO NOTHING`,
  )
  const changed = database.prepare('UPDATE contents SET newest_ms = max(newest_ms, ?) WHERE id = ?')
  // Rows due already need no change, and a backlog may have a million of them.
  const make_due = database.prepare(
    `UPDATE contents SET not_before_ms = @at_ms, error_code = NULL, error_message = NULL WHERE id IN
       (SELECT id FROM contents WHERE ${to_send} AND not_before_ms > @at_ms AND error_code = @code
          AND project = coalesce(@project, project) ORDER BY not_before_ms, id LIMIT @limit)`,
  )
  const newest_sql = database.prepare('SELECT coalesce(max(id), 0) FROM contents').pluck()

  function get(id: number): ContentRow | undefined {
    const raw = get_sql.get(id)
    return raw === undefined ? undefined : contentRow(raw)
  }

  function find(project: number, md5: string, size: number): ContentRow | undefined {
    const raw = find_sql.get(Buffer.from(md5, 'hex'), size, project)
    return raw === undefined ? undefined : contentRow(raw)
  }

  /** The highest id. A later content has a higher one, whatever the clock says. */
  const newest = (): number => newest_sql.get() as number

  /** Inserts a `wanted` content. Returns its id; undefined if these bytes have one. */
  function insertNew(
    { project, md5, size }: Pick<ContentRow, 'project' | 'md5' | 'size'>,
    times: NewTimes,
  ): number | undefined {
    const { not_before_ms, wanted_ms, newest_ms } = times
    const bytes = Buffer.from(md5, 'hex')
    const { changes, lastInsertRowid } = insert.run(
      project,
      bytes,
      size,
      not_before_ms,
      wanted_ms,
      newest_ms,
    )
    return changes === 0 ? undefined : Number(lastInsertRowid)
  }

  /** Records that one of its files was modified at this time. */
  const changedAt = (id: number, mtime_ms: number): void => void changed.run(mtime_ms, id)

  /** Writes only changed columns: a written one costs work in its indexes. */
  function update(before: ContentRow, after: ContentProgress): void {
    const changed: string[] = progress_columns.filter((column) => before[column] !== after[column])
    if (changed.length === 0) return
    const values = changed.map((column) => stored(after[column as keyof ContentProgress]))
    if (queue_of[after.state] !== queue_of[before.state]) {
      changed.push('queue')
      values.push(queue_of[after.state])
    }
    const columns = changed.join()
    let statement = updates.get(columns)
    if (!statement) {
      const assignments = changed.map((column) => `${column} = ?`).join()
      statement = database.prepare(`UPDATE contents SET ${assignments} WHERE id = ?`)
      updates.set(columns, statement)
    }
    statement.run(...values, before.id)
  }

  /** Makes contents due that were deferred for this reason; without a limit all of them. */
  function makeDue(code: string, at_ms: number, project: number | null = null, limit = -1): void {
    make_due.run({ code, at_ms, project, limit })
  }

  return { get, find, newest, insertNew, changedAt, update, makeDue }
}

export type ContentRows = ReturnType<typeof createContentRows>

function stored(value: string | number | boolean | undefined): string | number | undefined {
  return typeof value === 'boolean' ? Number(value) : value
}

/** A copy of an object that has all keys stays fast to read and to copy. */
const empty_row: ContentRow = {
  id: 0,
  project: 0,
  md5: '',
  size: 0,
  wanted_ms: 0,
  ...newContent(0),
}

export function contentRow(raw: unknown): ContentRow {
  const values = raw as readonly unknown[]
  const row: Record<keyof ContentRow, unknown> = { ...empty_row }
  for (let index = 0; index < columns.length; index++)
    row[columns[index]!] = values[index] ?? undefined
  row.md5 = (row.md5 as Buffer).toString('hex')
  row.made_here = row.made_here === 1
  row.without_md5 = row.without_md5 === 1
  row.any_type = row.any_type === 1
  return row as ContentRow
}
