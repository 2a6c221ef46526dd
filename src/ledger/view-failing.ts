import type { Sqlite } from '../base/sqlite.ts'

/** Files whose content failed at its upload, and of these the one that has failed for longest. */
export interface FailingFiles {
  /** Refused after many attempts; else they are tried again. */
  given_up: boolean
  /** At most `max_counted`. */
  contents: number
  since_ms: number
  name: string
  message: string
}

const max_counted = 1_000

/** Those that are tried again, and those that were given up: at most one of each. */
export function readFailing(database: Sqlite): FailingFiles[] {
  const groups = database
    .prepare(
      `SELECT failing.id, state = 'refused' AS given_up, count(*) AS contents, min(failing_since_ms) AS since_ms, error_message AS message
       FROM (SELECT * FROM contents WHERE failing_since_ms IS NOT NULL AND (queue IS NOT NULL OR error_code = 'gave_up')
         ORDER BY failing_since_ms LIMIT ${max_counted}) AS failing
       WHERE EXISTS (SELECT 1 FROM files JOIN folders ON folders.id = files.folder
         WHERE files.content = failing.id AND files.state = 'present' AND configured = 1)
       GROUP BY given_up ORDER BY given_up`,
    )
    .all() as { id: number; given_up: number; contents: number; since_ms: number; message: string | null }[]
  const name = database
    .prepare(
      `SELECT folders.name || '/' || path FROM files JOIN folders ON folders.id = files.folder
       WHERE content = ? AND state = 'present' AND configured = 1 LIMIT 1`,
    )
    .pluck()
  return groups.map(({ id, given_up, contents, since_ms, message }) => ({
    given_up: given_up === 1,
    contents,
    since_ms,
    name: name.get(id) as string,
    message: message ?? 'it failed',
  }))
}
