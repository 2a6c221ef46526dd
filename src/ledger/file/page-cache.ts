import type { Sqlite } from '../../base/files/sqlite.ts'
import type { Fact } from '../../domain/fact.ts'

/**
 * The size outside a first scan: an idle ledger reads the same few rows again and again, and a
 * rescan reads each row once.
 */
const usual_kib = 6_144

/**
 * The size during a first scan, which hits the md5 index at random. With less, most inserts for a
 * large folder would read a page from the system.
 */
const first_look_kib = 32_768

/**
 * Sets the size of SQLite's page cache. The cache fills up with every page that is read, and a
 * rescan of a million rows gains nothing by it. So it is large only while files are recorded by the
 * thousand.
 */
export function createPageCache(database: Sqlite) {
  let kib = 0
  take(usual_kib)

  /**
   * Yields the same facts. Before each of them is recorded, it sets the size of the cache for it.
   */
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
