import type { Sqlite } from '../base/sqlite.ts'
import { minute_ms } from '../base/time.ts'
import type { Absence } from '../domain/absence.ts'
import type { LifeFact } from '../domain/fact.ts'

/** A restart, an update, a crash: whoever is back sooner was not away. Else a daemon that dies again and again would never be late. */
const shortest_ms = 5 * minute_ms
/** More than a year of evenings; what is older than the oldest of them is late anyway. */
const most_absences = 500

/** Rows of `absences`, and of `at_work`: until when a daemon is known to have been there. */
export function createAbsenceRows(database: Sqlite) {
  const until = database.prepare('SELECT until_ms FROM at_work').pluck()
  const put = database.prepare('INSERT OR REPLACE INTO at_work (id, until_ms) VALUES (1, ?)')
  const add = database.prepare('INSERT INTO absences (why, from_ms, to_ms) VALUES (?, ?, ?)')
  const forget = database.prepare('DELETE FROM absences WHERE to_ms > ?')
  const trim = database.prepare('DELETE FROM absences WHERE id <= (SELECT max(id) FROM absences) - ?')

  /** Of the time before the first that is told nobody knows anything. */
  function atWork({ since_ms }: LifeFact, at_ms: number): void {
    // A clock that ran ahead and was set right: the absence that it made lies ahead, and would cover what is really late.
    forget.run(at_ms)
    const until_ms = (until.get() as number | undefined) ?? 0
    if (since_ms - until_ms > shortest_ms) note('away', until_ms, since_ms)
    put.run(at_ms)
  }

  /** A pause is over, however short it was. */
  function paused(from_ms: number, to_ms: number): void {
    if (to_ms > from_ms) note('paused', from_ms, to_ms)
  }

  function note(why: Absence['why'], from_ms: number, to_ms: number): void {
    add.run(why, from_ms, to_ms)
    trim.run(most_absences)
  }

  return { atWork, paused }
}

export type AbsenceRows = ReturnType<typeof createAbsenceRows>

/** Of a ledger that is open for reading, by their beginning. */
export function readAbsences(database: Sqlite): Absence[] {
  return database.prepare('SELECT why, from_ms, to_ms FROM absences ORDER BY from_ms').all() as Absence[]
}

/** Until when a daemon that watches is known to have been at work. */
export function readAtWork(database: Sqlite): number | undefined {
  return database.prepare('SELECT until_ms FROM at_work').pluck().get() as number | undefined
}
