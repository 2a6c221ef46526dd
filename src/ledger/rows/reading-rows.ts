import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { nextLook_ms, type Reading } from '../../domain/reading.ts'
import { read_in_part } from '../file/schema-readings.ts'
import { shownWords } from './told-words.ts'

/** SQL that is true for a row of `contents` that the assistant has in part. */
export const ready_in_part = `contents.state = 'ready'
  AND EXISTS (SELECT 1 FROM readings WHERE readings.content = contents.id AND ${read_in_part})`

/** SQL for the reading of a row of `contents` as JSON, as a user of these folders may read it. */
export function readingJson(sees: string): string {
  return `(SELECT json_object('of', of, 'seen', seen, 'unit', unit, 'why', ${shownWords('why', sees)})
    FROM readings WHERE readings.content = contents.id AND contents.state = 'ready')`
}

/** The reading in a column of `readingJson`; undefined without one. */
export function readingIn(json: unknown): Reading | undefined {
  if (typeof json !== 'string') return undefined
  const fields = Object.entries(JSON.parse(json) as Record<string, unknown>)
  return Object.fromEntries(fields.filter(([, value]) => value !== null)) as unknown as Reading
}

/** Keeps how much of each asset the service could read. */
export function createReadingRows(database: Sqlite) {
  const put = database.prepare(
    `INSERT INTO readings (content, of, seen, unit, why, due_ms)
       VALUES (@content, @of, @seen, @unit, @why, @due_ms)
       ON CONFLICT DO UPDATE SET of = @of, seen = @seen, unit = @unit, why = @why, due_ms = @due_ms
       WHERE (of, seen, unit, why, due_ms) IS NOT (@of, @seen, @unit, @why, @due_ms)`,
  )
  const get_sql = database.prepare('SELECT of, seen, unit, why FROM readings WHERE content = ?')
  const ready_sql = database.prepare('SELECT ready_ms FROM contents WHERE id = ?').pluck()
  const forget_sql = database.prepare('DELETE FROM readings WHERE content = ?')

  /** By a list, which may not show it: without a reading, what is known stays. */
  function learn(content: number, reading: Reading | undefined, at_ms: number): void {
    if (!reading) return
    const ready_ms = readOne<number>(ready_sql, content) ?? at_ms
    const due_ms = nextLook_ms(reading, ready_ms, at_ms) ?? null
    put.run({ unit: null, why: null, ...reading, content, due_ms })
  }

  /** Call this also when the content has another asset. */
  const forget = (content: number): void => void forget_sql.run(content)

  /** By the record of the asset, which shows all that the service says. */
  function set(content: number, reading: Reading | undefined, at_ms: number): void {
    if (reading) learn(content, reading, at_ms)
    else forget(content)
  }

  /** Its record is about to be read. Whatever comes of that, it is read again only later. */
  const look = (content: number, at_ms: number): void =>
    learn(content, get_sql.get(content) as Reading, at_ms)

  return { learn, set, forget, look }
}

/** Number of files that the assistant has in part, by the id of their folder. */
export function countInPart(database: Sqlite): Map<number, number> {
  const rows = database.prepare(
    `SELECT files.folder, count(*) AS files FROM readings
       CROSS JOIN contents ON contents.id = readings.content AND contents.state = 'ready'
       CROSS JOIN files ON files.content = contents.id AND files.state = 'present'
     WHERE ${read_in_part} GROUP BY files.folder`,
  )
  const counts = readAll<{ folder: number; files: number }>(rows)
  return new Map(counts.map(({ folder, files }) => [folder, files]))
}
