import type { ListEnvelope, ListQuery } from '../contract/envelope.ts'
import { fault } from './faults.ts'

/** A list in its order: `forward` goes down it, `backward` up it, both starting next to a position. */
export interface Listing<Row, Position> {
  /** Where the item with this id stands, or stood before it was removed; undefined where it never was in this list. */
  positionOf(id: string): Position | undefined
  /** At most `count` items behind the position (from the top without one), in list order. */
  forward(after: Position | undefined, count: number): Row[]
  /** At most `count` items before the position, the nearest first. */
  backward(before: Position, count: number): Row[]
  idOf(row: Row): string
}

/** One page. */
export function readPage<Row, Position>(
  listing: Listing<Row, Position>,
  { limit, after_id, before_id }: ListQuery,
): { rows: Row[]; has_more: boolean } {
  const cursor = before_id ?? after_id
  const position = cursor === undefined ? undefined : listing.positionOf(cursor)
  if (cursor !== undefined && position === undefined) {
    throw fault('publicapi.cursor.unknown', `There is no ${cursor} in this list to page from.`)
  }
  const backward = before_id !== undefined && position !== undefined
  // One more than asked for tells whether there are more.
  const rows = backward ? listing.backward(position, limit + 1) : listing.forward(position, limit + 1)
  const has_more = rows.length > limit
  if (has_more) rows.pop()
  if (backward) rows.reverse()
  return { rows, has_more }
}

/** The ids are left out on an empty page. */
export function envelopeOf<Item>(items: Item[], has_more: boolean, idOf: (item: Item) => string): ListEnvelope<Item> {
  const first = items[0]
  const last = items.at(-1)
  return {
    data: items,
    has_more,
    ...(first === undefined ? {} : { first_id: idOf(first) }),
    ...(last === undefined ? {} : { last_id: idOf(last) }),
  }
}
