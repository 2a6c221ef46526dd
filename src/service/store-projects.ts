import type { Sqlite } from '../base/sqlite.ts'
import { type Caller, reachOfCaller, within_reach } from './access.ts'
import type { Listing } from './paging.ts'

export interface ListedProject {
  seq: number
  project_id: string
  name: string
  description: string | null
  /** 1 for the one that the key opens first: the oldest within its reach. */
  is_default: 0 | 1
}

interface ProjectFields {
  name?: string | undefined
  description?: string | undefined
}

export interface ProjectStore {
  /** The projects within a caller's reach, newest first; none is ever removed. */
  listing(caller: Caller): Listing<ListedProject, number>
  find(caller: Caller, project_id: string): ListedProject | undefined
  /** Within the reach of the caller, in the workspace of the oldest project that is. Answers its number. */
  insert(caller: Caller, project_id: string, fields: ProjectFields & { name: string }, now_ms: number): number
  update(seq: number, fields: ProjectFields): void
}

export function openProjectStore(database: Sqlite): ProjectStore {
  const columns = `seq, project_id, name, description,
    seq = (SELECT min(seq) FROM projects WHERE ${within_reach}) AS is_default`
  const select = (condition: string) =>
    database.prepare(`SELECT ${columns} FROM projects WHERE ${within_reach} AND ${condition}`)
  const sql = {
    older: select('seq < @from ORDER BY seq DESC LIMIT @count'),
    newer: select('seq > @from ORDER BY seq LIMIT @count'),
    find: select('project_id = @project_id'),
    insert: database.prepare(
      `INSERT INTO projects (project_id, name, description, created_at_ms, workspace)
       VALUES (@project_id, @name, @description, @now_ms,
         coalesce((SELECT workspace FROM projects WHERE ${within_reach} ORDER BY seq LIMIT 1), 1))`,
    ),
    reach: database.prepare('INSERT INTO token_projects (token, project) VALUES (?, ?)'),
    update: database.prepare(
      'UPDATE projects SET name = coalesce(?, name), description = coalesce(?, description) WHERE seq = ?',
    ),
  }
  const find = (caller: Caller, project_id: string) =>
    sql.find.get({ ...reachOfCaller(caller), project_id }) as ListedProject | undefined

  return {
    find,
    listing: (caller) => ({
      positionOf: (id) => find(caller, id)?.seq,
      forward: (after, count) =>
        sql.older.all({ ...reachOfCaller(caller), from: after ?? Number.MAX_SAFE_INTEGER, count }) as ListedProject[],
      backward: (before, count) => sql.newer.all({ ...reachOfCaller(caller), from: before, count }) as ListedProject[],
      idOf: (row) => row.project_id,
    }),
    insert(caller, project_id, { name, description = null }, now_ms) {
      const fields = { project_id, name, description, now_ms }
      const seq = Number(sql.insert.run({ ...reachOfCaller(caller), ...fields }).lastInsertRowid)
      if (caller.every_project === 0) sql.reach.run(caller.token, seq)
      return seq
    },
    update: (seq, { name, description }) => void sql.update.run(name ?? null, description ?? null, seq),
  }
}
