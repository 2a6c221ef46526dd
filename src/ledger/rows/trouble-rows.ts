import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { minute_ms } from '../../base/time/time.ts'
import {
  type Absence,
  type LifeFact,
  type PauseFact,
  refused_fact,
  type TroubleFact,
} from '../../domain/fact.ts'
import { best_copy_first } from './file-rows.ts'

export interface Trouble {
  /**
   * `account`, `project:ID`, `api`, `blob` … A content has the name of its best path in place of
   * its number.
   */
  about: string
  /** The same with the number. */
  stored_about: string
  code: string
  message: string
  hint: string | undefined
  since_ms: number
  last_ms: number
}

/** Problems beyond a single file, stored for status while the daemon is down. */
export function createTroubleRows(database: Sqlite) {
  const begin = database.prepare(
    `INSERT INTO troubles (about, code, message, hint, since_ms, last_ms) VALUES (@about, @code, @message, @hint, @at_ms, @at_ms)
       ON CONFLICT (about) DO UPDATE SET code = excluded.code, message = excluded.message, hint = excluded.hint, last_ms = excluded.last_ms`,
  )
  const end = database.prepare('DELETE FROM troubles WHERE about = ?')
  // A refused label is tried again after a day, so only an old trouble says why none is attached.
  const forget = database.prepare(
    `DELETE FROM troubles WHERE NOT EXISTS (SELECT 1 FROM contents
       JOIN projects ON projects.id = contents.project AND about = 'labels:' || project_id
       WHERE state = 'ready' AND labels_due_ms IS NOT NULL)`,
  )
  const forget_labels = database.prepare(
    `DELETE FROM troubles WHERE about LIKE 'labels:%' AND NOT EXISTS (SELECT 1 FROM folders
       JOIN projects ON projects.id = folders.project AND about = 'labels:' || project_id
       WHERE configured = 1 AND (labels <> '[]' OR label_from <> 'none'))`,
  )

  function apply(fact: TroubleFact, at_ms: number): void {
    if (fact.type === 'daemon_started') forget.run()
    else if (fact.type === 'trouble_ended') end.run(fact.about)
    else begin.run({ hint: undefined, about: fact.about, ...fact.error, at_ms })
  }

  /** Ends the troubles with labels of projects whose folders give none. */
  const configured = (): void => void forget_labels.run()

  return { apply, configured }
}

/** Beginning of a trouble about a refused fact of a content; its number follows. */
const of_content = `${refused_fact}content `

export function readTroubles(database: Sqlite): Trouble[] {
  return readAll(
    database.prepare(
      `SELECT troubles.*, about AS stored_about, coalesce((SELECT '${refused_fact}' || folders.name || '/' || path
           FROM files JOIN folders ON folders.id = files.folder
           WHERE content = CAST(substr(about, ${of_content.length + 1}) AS INTEGER) AND about LIKE '${of_content}%'
           ORDER BY ${best_copy_first} LIMIT 1), about) AS about
         FROM troubles ORDER BY since_ms, stored_about`,
    ),
  )
}

export interface Pause {
  since_ms: number
  /** Unix ms by the wall clock; undefined: until a user resumes. */
  until_ms: number | undefined
  by: string
  why: string | undefined
}

/** The pause, kept in memory because every claim asks for it. */
export function createPauseRow(database: Sqlite, absences: AbsenceRows) {
  let pause: Pause | undefined
  const put = database.prepare(
    `INSERT OR REPLACE INTO pause (id, since_ms, until_ms, by_whom, why) VALUES (1, @since_ms, @until_ms, @by, @why)`,
  )
  const drop = database.prepare('DELETE FROM pause')
  reload()

  /** A second pause replaces the first one, but the paused time counts from the first. */
  function apply(fact: PauseFact, at_ms: number): void {
    const before = pause
    const goes_on = fact.type === 'paused' && holds(at_ms)
    if (before && !goes_on)
      absences.paused(before.since_ms, Math.min(before.until_ms ?? at_ms, at_ms))
    if (fact.type === 'resumed') drop.run()
    else {
      const since_ms = before && goes_on ? before.since_ms : at_ms
      const { by, why, until_ms } = fact
      put.run({ since_ms, until_ms, by, why })
    }
    reload()
  }

  const holds = (now_ms: number): boolean => pause !== undefined && isInForce(pause, now_ms)

  /** Call this also after a rollback. */
  function reload(): void {
    pause = readRow(database)
  }

  return { apply, holds, reload }
}

export type PauseRow = ReturnType<typeof createPauseRow>

/** Reads the pause from a ledger that is open for reading; undefined if nothing is paused. */
export function readPause(database: Sqlite, now_ms: number): Pause | undefined {
  const pause = readRow(database)
  return pause && isInForce(pause, now_ms) ? pause : undefined
}

/** Reads a pause that ended by itself; undefined once a user has resumed or paused again. */
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

/**
 * A shorter time without a daemon (a restart, an update, a crash) is no absence. Otherwise a daemon
 * that dies again and again would never count as late.
 */
const shortest_ms = 5 * minute_ms
/** More than a year if the machine is off every night. Work from before that is late anyway. */
const max_absences = 500

/** Rows of `absences`, and of `at_work`: the time until which a daemon is known to have worked. */
export function createAbsenceRows(database: Sqlite) {
  const until = database.prepare('SELECT until_ms FROM at_work').pluck()
  const put = database.prepare('INSERT OR REPLACE INTO at_work (id, until_ms) VALUES (1, ?)')
  const add = database.prepare('INSERT INTO absences (why, from_ms, to_ms) VALUES (?, ?, ?)')
  const forget = database.prepare('DELETE FROM absences WHERE to_ms > ?')
  const trim = database.prepare(
    'DELETE FROM absences WHERE id <= (SELECT max(id) FROM absences) - ?',
  )

  /** Records that a daemon is at work, and the absence before it. The first absence begins at 0. */
  function atWork({ since_ms }: LifeFact, at_ms: number): void {
    // A clock that ran ahead and was set right can leave an absence in the future. It would excuse
    // work that is really late.
    forget.run(at_ms)
    const until_ms = readOne<number>(until) ?? 0
    if (since_ms - until_ms > shortest_ms) note('away', until_ms, since_ms)
    put.run(at_ms)
  }

  /** Records a pause that is over, however short it was. */
  function paused(from_ms: number, to_ms: number): void {
    if (to_ms > from_ms) note('paused', from_ms, to_ms)
  }

  function note(why: Absence['why'], from_ms: number, to_ms: number): void {
    add.run(why, from_ms, to_ms)
    trim.run(max_absences)
  }

  return { atWork, paused }
}

export type AbsenceRows = ReturnType<typeof createAbsenceRows>

export function readAbsences(database: Sqlite): Absence[] {
  return readAll(database.prepare('SELECT why, from_ms, to_ms FROM absences ORDER BY from_ms'))
}

/** Unix ms until which a watching daemon is known to have worked; undefined if none has. */
export function readAtWork(database: Sqlite): number | undefined {
  return readOne(database.prepare('SELECT until_ms FROM at_work').pluck())
}
