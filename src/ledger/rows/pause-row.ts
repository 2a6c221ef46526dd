import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { minute_ms } from '../../base/time/time.ts'
import type { Absence } from '../../domain/absence.ts'
import type { LifeFact, PauseFact } from '../../domain/fact.ts'

export interface Pause {
  since_ms: number
  /** By the wall clock; undefined: until somebody resumes. */
  until_ms: number | undefined
  by: string
  why: string | undefined
}

/** Whether a person stopped what goes out. Read once and kept in memory: every claim asks. */
export function createPauseRow(database: Sqlite, absences: AbsenceRows) {
  let pause: Pause | undefined
  const put = database.prepare(
    `INSERT OR REPLACE INTO pause (id, since_ms, until_ms, by_whom, why) VALUES (1, @since_ms, @until_ms, @by, @why)`,
  )
  const drop = database.prepare('DELETE FROM pause')
  reload()

  /** A second pause takes the place of the first, and it has been paused since that one. */
  function apply(fact: PauseFact, at_ms: number): void {
    const before = pause
    const goes_on = fact.type === 'paused' && holds(at_ms)
    if (before && !goes_on) absences.paused(before.since_ms, Math.min(before.until_ms ?? at_ms, at_ms))
    if (fact.type === 'resumed') drop.run()
    else {
      const since_ms = before && goes_on ? before.since_ms : at_ms
      const { by, why, until_ms } = fact
      put.run({ since_ms, until_ms, by, why })
    }
    reload()
  }

  function holds(now_ms: number): boolean {
    return pause !== undefined && isInForce(pause, now_ms)
  }

  /** Also after a rollback. */
  function reload(): void {
    pause = readRow(database)
  }

  return { apply, holds, reload }
}

export type PauseRow = ReturnType<typeof createPauseRow>

/** Of a ledger that is open for reading; undefined where nothing is paused. */
export function readPause(database: Sqlite, now_ms: number): Pause | undefined {
  const pause = readRow(database)
  return pause && isInForce(pause, now_ms) ? pause : undefined
}

/** One that ended by itself, and that nobody has resumed or followed by another. */
export function readEndedPause(database: Sqlite, now_ms: number): Absence | undefined {
  const pause = readRow(database)
  if (pause?.until_ms === undefined || isInForce(pause, now_ms)) return undefined
  return { why: 'paused', from_ms: pause.since_ms, to_ms: pause.until_ms }
}

function isInForce({ until_ms }: Pause, now_ms: number): boolean {
  return until_ms === undefined || now_ms < until_ms
}

function readRow(database: Sqlite): Pause | undefined {
  return readOne(database.prepare('SELECT since_ms, until_ms, by_whom AS "by", why FROM pause'))
}

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
    const until_ms = readOne<number>(until) ?? 0
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
  return readAll(database.prepare('SELECT why, from_ms, to_ms FROM absences ORDER BY from_ms'))
}

/** Until when a daemon that watches is known to have been at work. */
export function readAtWork(database: Sqlite): number | undefined {
  return readOne(database.prepare('SELECT until_ms FROM at_work').pluck())
}
