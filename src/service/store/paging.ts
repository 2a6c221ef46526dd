import type { Sqlite } from '../../base/files/sqlite.ts'
import type { ListEnvelope, ListQuery } from '../../contract/envelope.ts'
import { fault } from '../faults/faults.ts'
import { statementsOf } from './database.ts'

/** A list with its order. */
export interface Listing<Row, Position> {
  /** The position of an item, also after `removeListed`; undefined if it is not in the list. */
  positionOf(id: string): Position | undefined
  /**
   * At most `count` items after the position, in list order; from the top without a position.
   * `back`: the items before it, the nearest first.
   */
  rowsFrom(position: Position | undefined, count: number, back: boolean): Row[]
  idOf(row: Row): string
}

/** One page; `show` makes its items. An empty page has no ids. */
export function readPage<Row, Position, Item>(
  { positionOf, rowsFrom, idOf }: Listing<Row, Position>,
  { limit, after_id, before_id }: ListQuery,
  show: (row: Row) => Item,
): ListEnvelope<Item> {
  const cursor = before_id ?? after_id
  const position = cursor === undefined ? undefined : positionOf(cursor)
  if (cursor !== undefined && position === undefined) {
    throw fault('publicapi.cursor.unknown', { id: cursor })
  }
  // One row more than the limit shows whether there are more.
  const rows = rowsFrom(position, limit + 1, before_id !== undefined)
  const has_more = rows.length > limit
  if (has_more) rows.pop()
  if (before_id !== undefined) rows.reverse()
  const first = rows[0]
  const last = rows.at(-1)
  return {
    data: rows.map(show),
    has_more,
    ...(first && last ? { first_id: idOf(first), last_id: idOf(last) } : {}),
  }
}

/** For a list that is one full page: its limit is checked, then ignored. */
export function onePage(query: ListQuery): ListQuery {
  return { ...query, limit: Number.MAX_SAFE_INTEGER - 1 }
}

interface ListedTable {
  columns?: string
  from: string
  /** A condition with named parameters. */
  where: string
  /** The column that orders the list. */
  by: string
  id: string
  newest_first: boolean
}

/**
 * A list of database rows. `reach` has the parameters of `where`. An item that `removeListed`
 * removed keeps its position.
 */
export function sqlListing<Row, Position extends string | number>(
  database: Sqlite,
  { columns = '*', from, where, by, id, newest_first }: ListedTable,
  reach: { project: number },
): Listing<Row, Position> {
  const { value, all } = statementsOf(database)
  return {
    positionOf: (wanted) =>
      value(
        `SELECT ${by} FROM ${from} WHERE ${where} AND ${id} = @id
         UNION ALL SELECT position FROM removed WHERE id = @id AND project = @project`,
        { ...reach, id: wanted },
      ),
    rowsFrom(position, count, back) {
      const [side, order] = newest_first === back ? ['>', 'ASC'] : ['<', 'DESC']
      const behind = position === undefined ? '' : `AND ${by} ${side} @position`
      const list = `SELECT ${columns} FROM ${from} WHERE ${where} ${behind} ORDER BY ${by} ${order} LIMIT @count`
      return all(list, { ...reach, position, count })
    },
    idOf: (row) => String(row[id as keyof Row]),
  }
}

/** Removes a listed row and stores its position, so that a page can still start after it. */
export function removeListed(
  database: Sqlite,
  table: 'assets' | 'chats' | 'labels' | 'resources',
  {
    id,
    seq,
    project,
    position = seq,
  }: { id: string; seq: number; project: number; position?: string | number },
): void {
  const { run } = statementsOf(database)
  run('INSERT INTO removed (id, project, position) VALUES (?, ?, ?)', id, project, position)
  run(`DELETE FROM ${table} WHERE seq = ?`, seq)
}
