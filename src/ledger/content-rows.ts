import type { Sqlite } from '../base/sqlite.ts'
import type { ContentProgress, ContentState } from '../domain/content.ts'

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

interface RawContent {
  id: number
  project: number
  md5: Buffer
  size: number
  state: ContentState
  asset_id: string | null
  made_here: number
  without_md5: number
  not_before_ms: number
  attempts: number
  slots_lost: number
  vanished: number
  error_code: string | null
  error_message: string | null
  wanted_ms: number
  intended_ms: number | null
  sent_ms: number | null
  following_since_ms: number | null
  ready_ms: number | null
}

/** Reads and writes single rows of `contents`; knows nothing of files, counts or history. */
export class ContentRows {
  readonly #get
  readonly #find
  readonly #insert
  readonly #update
  readonly #changed

  constructor(database: Sqlite) {
    this.#get = database.prepare('SELECT * FROM contents WHERE id = ?')
    this.#find = database.prepare('SELECT * FROM contents WHERE md5 = ? AND size = ? AND project = ?')
    this.#insert = database.prepare(
      `INSERT INTO contents (project, md5, size, state, not_before_ms, wanted_ms, newest_ms)
       VALUES (?, ?, ?, 'wanted', ?, ?, ?) ON CONFLICT DO NOTHING`,
    )
    this.#update = database.prepare(
      `UPDATE contents SET state = ?, asset_id = ?, made_here = ?, without_md5 = ?, not_before_ms = ?, attempts = ?, slots_lost = ?,
         vanished = ?, error_code = ?, error_message = ?, intended_ms = ?, sent_ms = ?, following_since_ms = ?, ready_ms = ?
       WHERE id = ?`,
    )
    this.#changed = database.prepare('UPDATE contents SET newest_ms = max(newest_ms, ?) WHERE id = ?')
  }

  get(id: number): ContentRow | undefined {
    const raw = this.#get.get(id) as RawContent | undefined
    return raw && contentRow(raw)
  }

  find(project: number, md5: string, size: number): ContentRow | undefined {
    const raw = this.#find.get(Buffer.from(md5, 'hex'), size, project) as RawContent | undefined
    return raw && contentRow(raw)
  }

  /** A new content, `wanted`; undefined where there is one of these bytes. */
  insertNew({ project, md5, size }: Pick<ContentRow, 'project' | 'md5' | 'size'>, times: NewTimes): number | undefined {
    const { not_before_ms, wanted_ms, newest_ms } = times
    const bytes = Buffer.from(md5, 'hex')
    const { changes, lastInsertRowid } = this.#insert.run(project, bytes, size, not_before_ms, wanted_ms, newest_ms)
    return changes === 0 ? undefined : Number(lastInsertRowid)
  }

  /** A file of it was changed then. */
  changedAt(id: number, mtime_ms: number): void {
    this.#changed.run(mtime_ms, id)
  }

  update(id: number, to: ContentProgress): void {
    this.#update.run(
      to.state,
      to.asset_id,
      to.made_here ? 1 : 0,
      to.without_md5 ? 1 : 0,
      to.not_before_ms,
      to.attempts,
      to.slots_lost,
      to.vanished,
      to.error_code,
      to.error_message,
      to.intended_ms,
      to.sent_ms,
      to.following_since_ms,
      to.ready_ms,
      id,
    )
  }
}

export function contentRow(raw: unknown): ContentRow {
  const row = raw as RawContent
  return {
    id: row.id,
    project: row.project,
    md5: row.md5.toString('hex'),
    size: row.size,
    state: row.state,
    asset_id: row.asset_id ?? undefined,
    made_here: row.made_here === 1,
    without_md5: row.without_md5 === 1,
    not_before_ms: row.not_before_ms,
    attempts: row.attempts,
    slots_lost: row.slots_lost,
    vanished: row.vanished,
    error_code: row.error_code ?? undefined,
    error_message: row.error_message ?? undefined,
    wanted_ms: row.wanted_ms,
    intended_ms: row.intended_ms ?? undefined,
    sent_ms: row.sent_ms ?? undefined,
    following_since_ms: row.following_since_ms ?? undefined,
    ready_ms: row.ready_ms ?? undefined,
  }
}
