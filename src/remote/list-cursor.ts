import type { AssetRecord } from './assets.ts'
import type { Failure } from './outcome.ts'

/** The most that a page of the list holds. */
export const assets_a_page = 100

/** A cursor that was taken out of the list is unknown to some services; so many before it on its page are tried in its place. */
const max_other_cursors = 5

/** The way through a project's list of assets, page by page, also where the asset at a page's end is removed meanwhile. */
export class ListCursor {
  /** Ids of the last page, newest last. */
  #last_page: readonly string[] = []
  /** How many of them were tried in the place of a cursor that is unknown. */
  #tried = 0

  /** Where the next page begins; `cursor`: as the page before said. */
  afterId(cursor: string | undefined): string | undefined {
    return this.#tried === 0 ? cursor : this.#last_page.at(-1 - this.#tried)
  }

  /** Answers what was not on the page before. */
  take(items: readonly AssetRecord[]): AssetRecord[] {
    const is_again = new Set(this.#tried === 0 ? [] : this.#last_page)
    this.#last_page = items.map(({ asset_id }) => asset_id)
    this.#tried = 0
    return items.filter(({ asset_id }) => !is_again.has(asset_id))
  }

  /** After a page that was refused. `other cursor`: ask again; `lost`: the list has to be begun anew; `unsaid`: that was another fault. */
  refused({ about }: Failure): 'other cursor' | 'lost' | 'unsaid' {
    if (about !== 'attempt') return 'unsaid'
    const has_other = this.#tried < Math.min(max_other_cursors, this.#last_page.length - 1)
    this.#tried = has_other ? this.#tried + 1 : 0
    return has_other ? 'other cursor' : 'lost'
  }
}
