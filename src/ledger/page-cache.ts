import type { Sqlite } from '../base/sqlite.ts'
import type { Fact } from '../domain/fact.ts'

/** What a ledger at rest goes back to: the same few rows again and again, and scans that read each row once. */
const usual_kib = 6_144
/** The md5 index is hit at random: with less, most inserts of a first look at a big folder would read a page from the system. */
const first_look_kib = 32_768

/**
 * SQLite's memory for pages. It fills up with whatever is read, and a rescan that reads a million rows gains nothing by it: so it is
 * large only while files are taken up by the thousand.
 */
export class PageCache {
  readonly #database: Sqlite
  #kib = 0

  constructor(database: Sqlite) {
    this.#database = database
    this.#take(usual_kib)
  }

  /** The same facts, each followed before it is recorded. */
  *following(facts: Iterable<Fact>): Generator<Fact, void> {
    for (const fact of facts) {
      if (fact.type === 'files_found') this.#take(first_look_kib)
      else if (fact.type === 'scan_finished') this.#take(usual_kib)
      yield fact
    }
  }

  #take(kib: number): void {
    if (kib === this.#kib) return
    this.#database.pragma(`cache_size = -${kib}`)
    this.#kib = kib
  }
}
