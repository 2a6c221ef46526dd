import type { Sqlite } from '../base/sqlite.ts'
import type { Listing } from './paging.ts'

export type ResourceKind = 'skill' | 'memory' | 'action' | 'session'

export interface ResourceRow {
  seq: number
  id: string
  kind: ResourceKind
  project: number
  /** The user who alone sees it; null for everybody in the project. */
  owner: number | null
  unique_name: string | null
  enabled: 0 | 1
  /** JSON of what was sent. */
  fields: string
  created_at_ms: number
  modified_at_ms: number
}

/** Where one looks, and as whom: a user sees what belongs to nobody and what is their own; a key of nobody sees no user's own. */
export interface ResourceReach {
  kind: ResourceKind
  project: number
  user: number | null
}

export interface ResourceStore {
  find(reach: ResourceReach, id: string): ResourceRow | undefined
  named(reach: ResourceReach, name: string): ResourceRow | undefined
  /** Every one of them that is enabled, newest first. */
  enabled(reach: ResourceReach): ResourceRow[]
  insert(row: Omit<ResourceRow, 'seq' | 'modified_at_ms'>): void
  update(
    seq: number,
    change: Pick<ResourceRow, 'owner' | 'unique_name' | 'enabled' | 'fields' | 'modified_at_ms'>,
  ): void
  remove(row: ResourceRow): void
  /** Newest first. */
  listing(reach: ResourceReach): Listing<ResourceRow, number>
}

const within_reach = 'kind = @kind AND project = @project AND (owner IS NULL OR owner = @user)'

export function openResourceStore(database: Sqlite): ResourceStore {
  const sql = {
    find: database.prepare(`SELECT * FROM resources WHERE id = @id AND ${within_reach}`),
    // One's own goes before everybody's.
    named: database.prepare(
      `SELECT * FROM resources WHERE unique_name = @name AND ${within_reach} ORDER BY owner IS NULL, seq LIMIT 1`,
    ),
    enabled: database.prepare(`SELECT * FROM resources WHERE enabled = 1 AND ${within_reach} ORDER BY seq DESC`),
    insert: database.prepare(
      `INSERT INTO resources (id, kind, project, owner, unique_name, enabled, fields, created_at_ms, modified_at_ms)
       VALUES (@id, @kind, @project, @owner, @unique_name, @enabled, @fields, @created_at_ms, @created_at_ms)`,
    ),
    update: database.prepare(
      `UPDATE resources SET owner = @owner, unique_name = @unique_name, enabled = @enabled, fields = @fields,
         modified_at_ms = @modified_at_ms WHERE seq = @seq`,
    ),
    note_place: database.prepare('INSERT INTO removed (id, project, position) VALUES (?, ?, ?)'),
    remove: database.prepare('DELETE FROM resources WHERE seq = ?'),
    place: database.prepare(
      `SELECT seq AS position FROM resources WHERE id = @id AND ${within_reach}
       UNION ALL SELECT position FROM removed WHERE id = @id AND project = @project`,
    ),
    older: database.prepare(
      `SELECT * FROM resources WHERE ${within_reach} AND seq < @from ORDER BY seq DESC LIMIT @count`,
    ),
    newer: database.prepare(`SELECT * FROM resources WHERE ${within_reach} AND seq > @from ORDER BY seq LIMIT @count`),
  }

  return {
    find: (reach, id) => sql.find.get({ ...reach, id }) as ResourceRow | undefined,
    named: (reach, name) => sql.named.get({ ...reach, name }) as ResourceRow | undefined,
    enabled: (reach) => sql.enabled.all(reach) as ResourceRow[],
    insert: (row) => void sql.insert.run(row),
    update: (seq, change) => void sql.update.run({ ...change, seq }),
    remove(row) {
      sql.note_place.run(row.id, row.project, row.seq)
      sql.remove.run(row.seq)
    },
    listing: (reach) => ({
      positionOf: (id) => (sql.place.get({ ...reach, id }) as { position: number } | undefined)?.position,
      forward: (after, count) =>
        sql.older.all({ ...reach, from: after ?? Number.MAX_SAFE_INTEGER, count }) as ResourceRow[],
      backward: (before, count) => sql.newer.all({ ...reach, from: before, count }) as ResourceRow[],
      idOf: (row) => row.id,
    }),
  }
}
