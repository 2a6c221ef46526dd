import type { Sqlite, Statement } from '../../base/files/sqlite.ts'
import type { ContentProgress, ContentState } from '../../domain/content.ts'
import { queueOf } from '../content-queue.ts'

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

/** In the order of `content_columns`. */
type RawContent = [
  id: number,
  project: number,
  md5: Buffer,
  size: number,
  state: ContentState,
  asset_id: string | null,
  made_here: number,
  without_md5: number,
  not_before_ms: number,
  attempts: number,
  failing_since_ms: number | null,
  slot_failures: number,
  vanished: number,
  error_code: string | null,
  error_message: string | null,
  wanted_ms: number,
  intended_ms: number | null,
  sent_ms: number | null,
  following_since_ms: number | null,
  ready_ms: number | null,
]

/** What `contentRow` reads, of a statement that answers `raw`: a row as an object costs as much again as to find it. */
export const content_columns = `id, project, md5, size, state, asset_id, made_here, without_md5, not_before_ms, attempts,
  failing_since_ms, slot_failures, vanished, error_code, error_message, wanted_ms, intended_ms, sent_ms, following_since_ms, ready_ms`

/** Reads and writes single rows of `contents`; knows nothing of files, counts or history. */
export function createContentRows(database: Sqlite) {
  /** By the columns that they write, as `update` names them. */
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
  const newest_sql = database.prepare('SELECT coalesce(max(id), 0) FROM contents').pluck()

  function get(id: number): ContentRow | undefined {
    const raw = get_sql.get(id)
    return raw === undefined ? undefined : contentRow(raw)
  }

  function find(project: number, md5: string, size: number): ContentRow | undefined {
    const raw = find_sql.get(Buffer.from(md5, 'hex'), size, project)
    return raw === undefined ? undefined : contentRow(raw)
  }

  /** The highest id: what comes later has a higher one, whatever the clock says. */
  function newest(): number {
    return newest_sql.get() as number
  }

  /** A new content, `wanted`; undefined where there is one of these bytes. */
  function insertNew(
    { project, md5, size }: Pick<ContentRow, 'project' | 'md5' | 'size'>,
    times: NewTimes,
  ): number | undefined {
    const { not_before_ms, wanted_ms, newest_ms } = times
    const bytes = Buffer.from(md5, 'hex')
    const { changes, lastInsertRowid } = insert.run(project, bytes, size, not_before_ms, wanted_ms, newest_ms)
    return changes === 0 ? undefined : Number(lastInsertRowid)
  }

  /** A file of it was changed then. */
  function changedAt(id: number, mtime_ms: number): void {
    changed.run(mtime_ms, id)
  }

  /** Writes what changed and no more: an index costs where a column of its is named, whatever is written there. */
  function update(before: ContentRow, after: ContentProgress): void {
    const changed: string[] = progress_columns.filter((column) => before[column] !== after[column])
    if (changed.length === 0) return
    const values = changed.map((column) => stored(after[column as keyof ContentProgress]))
    if (queueOf(after.state) !== queueOf(before.state)) {
      changed.push('queue')
      values.push(queueOf(after.state))
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

  return { get, find, newest, insertNew, changedAt, update }
}

export type ContentRows = ReturnType<typeof createContentRows>

const progress_columns = [
  'state',
  'asset_id',
  'made_here',
  'without_md5',
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

function stored(value: string | number | boolean | undefined): string | number | undefined {
  return typeof value === 'boolean' ? Number(value) : value
}

export function contentRow(raw: unknown): ContentRow {
  const [
    id,
    project,
    md5,
    size,
    state,
    asset_id,
    made_here,
    without_md5,
    not_before_ms,
    attempts,
    failing_since_ms,
    slot_failures,
    ...rest
  ] = raw as RawContent
  const [vanished, error_code, error_message, wanted_ms, intended_ms, sent_ms, following_since_ms, ready_ms] = rest
  return {
    id,
    project,
    md5: md5.toString('hex'),
    size,
    state,
    asset_id: asset_id ?? undefined,
    made_here: made_here === 1,
    without_md5: without_md5 === 1,
    not_before_ms,
    attempts,
    failing_since_ms: failing_since_ms ?? undefined,
    slot_failures,
    vanished,
    error_code: error_code ?? undefined,
    error_message: error_message ?? undefined,
    wanted_ms,
    intended_ms: intended_ms ?? undefined,
    sent_ms: sent_ms ?? undefined,
    following_since_ms: following_since_ms ?? undefined,
    ready_ms: ready_ms ?? undefined,
  }
}
