import type { Sqlite } from '../base/sqlite.ts'
import type { Caller } from './access.ts'
import type { Listing } from './paging.ts'

export interface ListedProject {
  seq: number
  project_id: string
  name: string
  description: string | null
  /** 1 for the one that the key opens first: the oldest within its reach. */
  is_default: 0 | 1
}

/** The projects within a caller's reach, newest first; none is ever removed. */
export function openProjectListing(database: Sqlite): (caller: Caller) => Listing<ListedProject, number> {
  const reach = '(? = 1 OR seq IN (SELECT project FROM token_projects WHERE token = ?))'
  const columns = 'seq, project_id, name, description'
  const older = database.prepare(`SELECT ${columns} FROM projects WHERE ${reach} AND seq < ? ORDER BY seq DESC LIMIT ?`)
  const newer = database.prepare(`SELECT ${columns} FROM projects WHERE ${reach} AND seq > ? ORDER BY seq ASC LIMIT ?`)
  const place = database.prepare(`SELECT seq AS position FROM projects WHERE ${reach} AND project_id = ?`)
  const oldest = database.prepare(`SELECT min(seq) AS seq FROM projects WHERE ${reach}`)

  return ({ token, every_project }) => {
    const who = [every_project ? 1 : 0, token] as const
    const first = (oldest.get(...who) as { seq: number | null }).seq
    const marked = (rows: unknown[]) =>
      (rows as Omit<ListedProject, 'is_default'>[]).map((row) => ({
        ...row,
        is_default: row.seq === first ? (1 as const) : (0 as const),
      }))
    return {
      positionOf: (id) => (place.get(...who, id) as { position: number } | undefined)?.position,
      forward: (after, count) => marked(older.all(...who, after ?? Number.MAX_SAFE_INTEGER, count)),
      backward: (before, count) => marked(newer.all(...who, before, count)),
      idOf: (row) => row.project_id,
    }
  }
}
