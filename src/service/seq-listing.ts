import type { Sqlite } from '../base/sqlite.ts'
import type { Listing } from './paging.ts'

interface ListedTable {
  table: 'assets' | 'chats'
  columns: string
  id_column: 'asset_id' | 'chat_id'
}

/** A list in the order of making, of a table with `seq` and `project`; an item that was removed keeps its place. */
export function seqListing<Row extends { seq: number }>(
  database: Sqlite,
  { table, columns, id_column }: ListedTable,
): (project: number, newest_first: boolean) => Listing<Row, number> {
  const older = database.prepare(
    `SELECT ${columns} FROM ${table} WHERE project = ? AND seq < ? ORDER BY seq DESC LIMIT ?`,
  )
  const newer = database.prepare(
    `SELECT ${columns} FROM ${table} WHERE project = ? AND seq > ? ORDER BY seq ASC LIMIT ?`,
  )
  const place = database.prepare(
    `SELECT seq AS position FROM ${table} WHERE ${id_column} = ? AND project = ?
     UNION ALL SELECT position FROM removed WHERE id = ? AND project = ?`,
  )

  return (project, newest_first) => {
    const [onward, back] = newest_first ? [older, newer] : [newer, older]
    const top = newest_first ? Number.MAX_SAFE_INTEGER : 0
    return {
      positionOf: (id) => (place.get(id, project, id, project) as { position: number } | undefined)?.position,
      forward: (after, count) => onward.all(project, after ?? top, count) as Row[],
      backward: (before, count) => back.all(project, before, count) as Row[],
      idOf: (row) => String(row[id_column as keyof Row]),
    }
  }
}
