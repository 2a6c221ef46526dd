import { readAll, type Sqlite } from '../../base/files/sqlite.ts'
import { blocked, needy, skipped } from './view-problems.ts'

/** Why files are not ready, or are left out, and where they are. */
export interface Reason {
  message: string
  files: number
  /** The directories with most of these files, at most `max_places`. */
  places: ReasonPlace[]
}

export interface ReasonPlace {
  /** The folder and the directory in it, with a slash at its end. */
  directory: string
  files: number
  /** Folder and path of one of the files. */
  example: string
}

/** Reasons of one kind. A service may word each refusal differently. */
const max_reasons = 20
const max_places = 3

type Row = ReasonPlace & { message: string; total: number }

/** Reasons of the files in these folders, that of most files first. Reads the row of each file. */
export function readReasons(
  database: Sqlite,
  kind: 'not_ready' | 'skipped',
  folders: readonly string[],
): Reason[] {
  const files = kind === 'skipped' ? skipped : `${needy} UNION ALL ${blocked}`
  const rows = readAll<Row>(
    database.prepare(
      `WITH places AS (
         SELECT message, folder || '/' || rtrim(path, replace(path, '/', '')) AS directory, count(*) AS files,
           min(folder || '/' || path) AS example FROM (${files}) GROUP BY 1, 2),
       ranked AS (
         SELECT *, sum(files) OVER (PARTITION BY message) AS total,
           row_number() OVER (PARTITION BY message ORDER BY files DESC, directory) AS rank FROM places)
       SELECT message, total, directory, files, example FROM ranked WHERE rank <= ${max_places}
       ORDER BY total DESC, message, rank LIMIT ${max_reasons * max_places}`,
    ),
    { names: JSON.stringify(folders) },
  )
  const reasons = new Map<string, Reason>()
  for (const { message, total, ...place } of rows) {
    const reason = reasons.get(message) ?? { message, files: total, places: [] }
    reasons.set(message, reason)
    reason.places.push(place)
  }
  return [...reasons.values()].slice(0, max_reasons)
}
