import type { Failure, Outcome, Page } from './outcome.ts'

/** Ids that are kept of the items read last: five pages. */
const max_kept_ids = 500
/** A list whose place is lost so often changes faster than it is read, or takes no cursor. */
const max_restarts = 3

/**
 * True if a list was refused because of its cursor: a 400 or 404 to a request that had one,
 * whatever its code. A web page comes from something on the way.
 */
function isOfCursor({ status, about }: Failure, after_id: string | undefined): boolean {
  if (after_id === undefined || about === 'network' || about === 'account') return false
  return status === 400 || status === 404 || status === 410
}

/** Blames only the attempt if the cursor was refused, so that nothing but this list rests. */
export function ofCursor<T>(outcome: Outcome<T>, after_id: string | undefined): Outcome<T> {
  if (outcome.ok || !isOfCursor(outcome.failure, after_id)) return outcome
  return { ok: false, failure: { ...outcome.failure, about: 'attempt' } }
}

/**
 * The place of a walk through a list, even if the item at its cursor is removed meanwhile.
 * It goes back to ids of earlier items in growing steps, then begins the list anew.
 */
export class ListPlace<Item> {
  readonly #idOf: (item: Item) => string
  /** Ids of the items read last, in the order of the list. */
  #kept: string[] = []
  /** Cursors refused since a page had a new item. */
  #refused = 0
  /** True if the next cursor is one of the kept ids. */
  #is_back = false
  #restarts = 0
  #pages = 0
  /** A cursor from before. Meeting it again shows a circle of any length (Brent's algorithm). */
  #mark: string | undefined

  constructor(idOf: (item: Item) => string) {
    this.#idOf = idOf
  }

  /** Cursor for the next page; `cursor`: the one that the last page gave, none at the top. */
  afterId(cursor: string | undefined): string | undefined {
    if (cursor === undefined) {
      this.#kept = []
      this.#refused = 0
      this.#is_back = false
      // Each reading of the list has the same cursors: only within one are they a circle.
      this.#mark = undefined
      this.#pages = 0
    }
    return this.#is_back ? this.#kept.at(-1 - this.#steps()) : cursor
  }

  /** The items that are new. Undefined if the list leads in a circle. */
  take({ items, next }: Page<Item>): Item[] | undefined {
    const known = new Set(this.#kept)
    const fresh = items.filter((item) => !known.has(this.#idOf(item)))
    this.#kept = [...this.#kept, ...fresh.map(this.#idOf)].slice(-max_kept_ids)
    this.#is_back = false
    if (fresh.length > 0) this.#refused = 0
    if (next === undefined) this.#restarts = 0
    else if (next === this.#mark) return undefined
    this.#pages += 1
    if (Number.isInteger(Math.log2(this.#pages))) this.#mark = next
    return fresh
  }

  /**
   * What a refused page means: `again` from an earlier item, `anew` from the top, or `lost` because
   * the list was begun anew too often. `unsaid`: it was not the cursor's fault.
   */
  refused({ about }: Failure): 'again' | 'anew' | 'lost' | 'unsaid' {
    if (about !== 'attempt') return 'unsaid'
    this.#mark = undefined
    this.#refused += 1
    this.#is_back = this.#steps() < this.#kept.length
    if (this.#is_back) return 'again'
    this.#restarts += 1
    if (this.#restarts <= max_restarts) return 'anew'
    this.#restarts = 0
    return 'lost'
  }

  /** Items between the last one and the one to begin after. */
  #steps(): number {
    return 2 ** (this.#refused - 1)
  }
}

export interface WalkedPage<Item> {
  /** Items that were on no page before, unless the list began anew. */
  items: Item[]
  /** Cursor of this page. */
  after_id: string | undefined
  /** True if the list began anew: what it gave so far comes again. */
  is_anew: boolean
  /** False on the last page. */
  has_more: boolean
}

/**
 * Walks through a list, page by page, at most `max_pages`. A failure ends it. A refused cursor does
 * not (see ListPlace).
 */
export async function* walkList<Item>(
  readPage: (after_id: string | undefined) => Promise<Outcome<Page<Item>>>,
  idOf: (item: Item) => string,
  max_pages: number,
): AsyncGenerator<Outcome<WalkedPage<Item>>, void> {
  const place = new ListPlace(idOf)
  let cursor: string | undefined
  let is_anew = false
  for (let pages = 0; pages < max_pages; ) {
    const after_id = place.afterId(cursor)
    const outcome = await readPage(after_id)
    if (!outcome.ok) {
      const verdict = place.refused(outcome.failure)
      if (verdict === 'unsaid' || verdict === 'lost') return yield outcome
      if (verdict === 'anew') {
        cursor = undefined
        is_anew = true
      }
      continue
    }
    pages += 1
    const items = place.take(outcome.value)
    if (!items) return yield { ok: false, failure: circle }
    cursor = outcome.value.next
    yield { ...outcome, value: { items, after_id, is_anew, has_more: cursor !== undefined } }
    if (cursor === undefined) return
    is_anew = false
  }
}

const circle: Failure = {
  about: 'unknown_protocol',
  call: 'list',
  message: 'the service gave a list whose pages lead in a circle',
}
