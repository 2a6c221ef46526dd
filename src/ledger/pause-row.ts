import type { Sqlite } from '../base/sqlite.ts'
import type { Absence } from '../domain/absence.ts'
import type { PauseFact } from '../domain/fact.ts'
import type { AbsenceRows } from './absence-rows.ts'

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
      put.run({ since_ms, until_ms: fact.until_ms ?? null, by: fact.by, why: fact.why ?? null })
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
  const row = database.prepare('SELECT since_ms, until_ms, by_whom, why FROM pause').get() as PauseColumns | undefined
  if (!row) return undefined
  const { since_ms, until_ms, by_whom, why } = row
  return { since_ms, until_ms: until_ms ?? undefined, by: by_whom, why: why ?? undefined }
}

interface PauseColumns {
  since_ms: number
  until_ms: number | null
  by_whom: string
  why: string | null
}
