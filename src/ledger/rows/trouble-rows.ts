import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import type { TroubleFact } from '../../domain/fact.ts'

export interface Trouble {
  /** `account`, `project:ID`, `api`, `blob` … */
  about: string
  code: string
  message: string
  hint: string | undefined
  since_ms: number
  last_ms: number
}

/**
 * Problems beyond a single file. They are stored so that status can show them while the daemon is
 * down, too.
 */
export function createTroubleRows(database: Sqlite) {
  const begin = database.prepare(
    `INSERT INTO troubles (about, code, message, hint, since_ms, last_ms) VALUES (@about, @code, @message, @hint, @at_ms, @at_ms)
       ON CONFLICT (about) DO UPDATE SET code = excluded.code, message = excluded.message, hint = excluded.hint, last_ms = excluded.last_ms`,
  )
  const end = database.prepare('DELETE FROM troubles WHERE about = ?')
  const forget = database.prepare('DELETE FROM troubles')

  function apply(fact: TroubleFact, at_ms: number): void {
    if (fact.type === 'daemon_started') forget.run()
    else if (fact.type === 'trouble_ended') end.run(fact.about)
    else begin.run({ hint: undefined, about: fact.about, ...fact.error, at_ms })
  }

  return { apply }
}

/** Reads the problems, oldest first. */
export function readTroubles(database: Sqlite): Trouble[] {
  return readAll(database.prepare('SELECT * FROM troubles ORDER BY since_ms, about'))
}

/**
 * Stores the origin that uploads go to, which only tickets name, and nothing else of the signed
 * address.
 */
export function createHostRows(database: Sqlite) {
  const note = database.prepare(
    `INSERT INTO hosts (what, origin, since_ms) VALUES ('blob', ?, ?)
       ON CONFLICT (what) DO UPDATE SET origin = excluded.origin, since_ms = excluded.since_ms
       WHERE origin <> excluded.origin`,
  )

  function noteUpload(upload_url: string, at_ms: number): void {
    if (URL.canParse(upload_url)) note.run(new URL(upload_url).origin, at_ms)
  }

  return { noteUpload }
}

/** The origin of uploads, as in `https://blobs.example.com`; undefined before the first upload. */
export function readBlobOrigin(database: Sqlite): string | undefined {
  return readOne(database.prepare(`SELECT origin FROM hosts WHERE what = 'blob'`).pluck())
}
