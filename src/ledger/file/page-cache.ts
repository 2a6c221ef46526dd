import type { Sqlite } from '../../base/files/sqlite.ts'
import type { Fact } from '../../domain/fact.ts'

/** What a ledger at rest goes back to: the same few rows again and again, and scans that read each row once. */
const usual_kib = 6_144

/** The md5 index is hit at random: with less, most inserts of a first look at a big folder would read a page from the system. */
const first_look_kib = 32_768

/**
 * SQLite's memory for pages. It fills up with whatever is read, and a rescan that reads a million rows gains nothing by it: so it is
 * large only while files are taken up by the thousand.
 */
export function createPageCache(database: Sqlite) {
  let kib = 0
  take(usual_kib)

  /** The same facts, each followed before it is recorded. */
  function* following(facts: Iterable<Fact>): Generator<Fact, void> {
    for (const fact of facts) {
      if (fact.type === 'files_found') take(first_look_kib)
      else if (fact.type === 'scan_finished') take(usual_kib)
      yield fact
    }
  }

  function take(wanted_kib: number): void {
    if (wanted_kib === kib) return
    database.pragma(`cache_size = -${wanted_kib}`)
    kib = wanted_kib
  }

  return { following }
}

export type PageCache = ReturnType<typeof createPageCache>
