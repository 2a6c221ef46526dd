import type { Sqlite } from '../base/sqlite.ts'
import { minute_ms } from '../base/time.ts'
import type { Absence } from '../domain/absence.ts'
import type { LifeFact } from '../domain/fact.ts'

/** A restart, an update, a crash: whoever is back sooner was not away. Else a daemon that dies again and again would never be late. */
const shortest_ms = 5 * minute_ms
/** More than a year of evenings; what is older than the oldest of them is late anyway. */
const most_absences = 500

/** Rows of `absences`, and of `at_work`: until when a daemon is known to have been there. */
export class AbsenceRows {
  readonly #until
  readonly #put
  readonly #add
  readonly #forget
  readonly #trim

  constructor(database: Sqlite) {
    this.#until = database.prepare('SELECT until_ms FROM at_work').pluck()
    this.#put = database.prepare('INSERT OR REPLACE INTO at_work (id, until_ms) VALUES (1, ?)')
    this.#add = database.prepare('INSERT INTO absences (why, from_ms, to_ms) VALUES (?, ?, ?)')
    this.#forget = database.prepare('DELETE FROM absences WHERE to_ms > ?')
    this.#trim = database.prepare('DELETE FROM absences WHERE id <= (SELECT max(id) FROM absences) - ?')
  }

  /** Of the time before the first that is told nobody knows anything. */
  atWork({ since_ms }: LifeFact, at_ms: number): void {
    // A clock that ran ahead and was set right: the absence that it made lies ahead, and would cover what is really late.
    this.#forget.run(at_ms)
    const until_ms = (this.#until.get() as number | undefined) ?? 0
    if (since_ms - until_ms > shortest_ms) this.#note('away', until_ms, since_ms)
    this.#put.run(at_ms)
  }

  /** A pause is over, however short it was. */
  paused(from_ms: number, to_ms: number): void {
    if (to_ms > from_ms) this.#note('paused', from_ms, to_ms)
  }

  #note(why: Absence['why'], from_ms: number, to_ms: number): void {
    this.#add.run(why, from_ms, to_ms)
    this.#trim.run(most_absences)
  }
}

function hasTable(database: Sqlite): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'absences'`).get() !== undefined
}

/** Of a ledger that is open for reading, by their beginning; none in one that version 0.1 wrote. */
export function readAbsences(database: Sqlite): Absence[] {
  if (!hasTable(database)) return []
  return database.prepare('SELECT why, from_ms, to_ms FROM absences ORDER BY from_ms').all() as Absence[]
}

/** Until when a daemon that watches is known to have been at work. */
export function readAtWork(database: Sqlite): number | undefined {
  if (!hasTable(database)) return undefined
  return database.prepare('SELECT until_ms FROM at_work').pluck().get() as number | undefined
}
