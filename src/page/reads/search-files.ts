import { openLedgerReadOnly } from '../../ledger/file/ledger-file.ts'
import { ready_in_part } from '../../ledger/rows/reading-rows.ts'
import {
  createFilesView,
  type FileView,
  type StageWanted,
  stages,
  statesOf,
} from '../../ledger/views/view-files.ts'
import { using } from '../../status/with-view.ts'
import { findersOf } from './search-words.ts'

export interface FilesSearch {
  /** Folders to search, in the order of the answer. */
  folders: readonly { name: string; path: string }[]
  /** Parts of names or paths; all must occur. Also the place of a file, as Sluice prints it. */
  query: string
  /** Stages to find; empty for all except `gone`. */
  stages: readonly StageWanted[]
  /** Only files that came in at this time or later, Unix ms. Then the newest are first. */
  since_ms?: number | undefined
  /** The last file of the page before. */
  after?: Cursor | undefined
  limit: number
  /** Only paths that fit. */
  fits?: ((path: string, folder: string) => boolean) | undefined
  /** Counts all files that are found, which reads every row. */
  counts?: boolean
  /** Folders whose files the words of an answer may name; undefined: all. */
  sees: readonly string[] | undefined
}

/** `seq`: the number of its arrival, where the newest are first. */
export type Cursor = Record<'folder' | 'path', string> & { seq?: number | undefined }

export interface Found {
  files: FileView[]
  /** Undefined if there are no more. */
  next: Cursor | undefined
  /** Number of files found, on this page and after it; undefined if they were not counted. */
  total?: number
  /** Number of rows that the answer took. */
  rows_read: number
}

/** Rows read at first: a frequent word is found there. */
const first_rows = 500
/** Arrivals read for one answer, in a third of a second. The next answer goes on from there. */
const max_new_rows = 50_000
/** Rows read at a time. Between them other requests get their turn. */
const chunk_rows = 5_000

export const withSearchView = using((state_dir: string) => {
  const database = openLedgerReadOnly(state_dir)
  const view = createFilesView(database)
  // One text for many paths: to make a value of each takes longer than to search it.
  const chunkOf = (condition: string) =>
    database.prepare(
      `SELECT count(*) AS rows, group_concat(path, char(0)) AS paths FROM (SELECT path FROM files
         WHERE folder = (SELECT id FROM folders WHERE name = @folder AND configured = 1) AND path > @after
           AND ${condition} ORDER BY path LIMIT @limit)`,
    )
  const arrivedIn = (condition: string) =>
    database.prepare(
      `SELECT seq, at_ms, folders.name AS folder, path
     FROM (SELECT * FROM arrivals WHERE seq <= @before ORDER BY seq DESC LIMIT @limit) AS newest
       LEFT JOIN folders ON folders.id = newest.folder AND configured = 1
       LEFT JOIN files ON files.content = newest.content AND files.folder = newest.folder AND ${condition}
     WHERE path IS NULL OR seq < @before OR path > @after ORDER BY seq DESC, path`,
    )

  const fileAt = (folder: string, prefix: string, sees: FilesSearch['sees']) =>
    view.files({ folder, prefix, stages, after: undefined, limit: 1, sees })

  async function byPath({
    folders,
    query,
    stages: wanted,
    after: last,
    limit,
    fits,
    counts,
    sees,
  }: FilesSearch): Promise<Found> {
    const chunk = chunkOf(inStages(wanted))
    const files: FileView[] = []
    let next: Cursor | undefined
    let total = 0
    let rows_read = 0
    const first = folders.findIndex(({ name }) => name === last?.folder)
    for (const { name: folder, path: root } of folders.slice(Math.max(0, first))) {
      const finders = findersIn({ name: folder, path: root }, query)
      let after = folder === last?.folder ? last.path : ''
      for (let size = first_rows; ; size = chunk_rows) {
        const { rows, paths } = chunk.get({ folder, after, limit: size }) as {
          rows: number
          paths: string
        }
        rows_read += rows
        for (const path of rows === 0 ? [] : found(finders, `${paths}\0`)) {
          if (fits?.(path, folder) === false) continue
          total++
          if (files.length < limit) files.push(...fileAt(folder, path, sees))
          else next ??= files.at(-1)
          if (next && !counts) return { files, next, rows_read }
        }
        if (rows < size) break
        after = paths.slice(paths.lastIndexOf('\0') + 1)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return { files, next, total, rows_read }
  }

  /** Reads arrivals from the newest on, so what came in lately takes few rows of many. */
  async function newest(wish: FilesSearch & { since_ms: number }): Promise<Found> {
    const { query, stages: wanted, since_ms, limit, counts, sees } = wish
    const arrived = arrivedIn(inStages(wanted))
    const finders = new Map(wish.folders.map((folder) => [folder.name, findersIn(folder, query)]))
    const files: FileView[] = []
    let next: Cursor | undefined
    let total = 0
    let rows_read = 0
    let before = wish.after?.seq || Number.MAX_SAFE_INTEGER
    let after = wish.after?.path ?? ''
    for (let size = first_rows; ; size = chunk_rows) {
      const rows = arrived.all({ before, after, limit: size }) as Arrived[]
      rows_read += rows.length
      for (const { seq, at_ms, folder, path } of rows) {
        if (at_ms < since_ms || path === null || !hasAll(finders.get(folder ?? ''), path)) continue
        total++
        if (files.length < limit) {
          files.push(...fileAt(folder!, path, sees))
          next = { folder: folder!, path, seq }
        } else if (!counts) return { files, next, rows_read }
      }
      // Only a clock that went back leaves newer ones behind so many that are older.
      if (rows.every(({ at_ms }) => at_ms < since_ms))
        return { files, next: total > limit ? next : undefined, total, rows_read }
      ;[before, after] = [rows.at(-1)!.seq - 1, '']
      if (rows_read > max_new_rows && !counts)
        return { files, next: { folder: '', path: after, seq: before }, rows_read }
      await new Promise((resolve) => setImmediate(resolve))
    }
  }

  const search = ({ since_ms, ...wish }: FilesSearch): Promise<Found> =>
    since_ms === undefined ? byPath(wish) : newest({ ...wish, since_ms })
  return { search, fileAt, close: () => void database.close() }
})

/** A file whose content came in. `folder` or `path` are null if it is no longer there. */
type Arrived = Record<'seq' | 'at_ms', number> & Record<'folder' | 'path', string | null>

/** The words of a query. The place of a file, as Sluice prints it, finds that file. */
function findersIn({ name, path }: { name: string; path: string }, query: string): RegExp[] {
  const start = [`${name}/`, `${path}/`].find((place) => query.trim().startsWith(place)) ?? ''
  return findersOf(query.trim().slice(start.length))
}

/** False for a folder that is not searched. */
function hasAll(finders: readonly RegExp[] | undefined, path: string): boolean {
  return finders?.every((word) => path.search(word) >= 0) ?? false
}

/**
 * SQL for files in one of these stages; without any, for all except `gone`. It reads the content of
 * present files alone.
 */
function inStages(wanted: readonly StageWanted[]): string {
  if (wanted.length === 0) return `files.state <> 'gone'`
  const states = statesOf(wanted).map((state) => `'${state}'`)
  const in_states = `CASE files.state WHEN 'present' THEN (SELECT state FROM contents WHERE id = files.content) ELSE files.state END IN (${states})`
  if (!wanted.includes('ready_in_part')) return in_states
  return `(${in_states} OR files.state = 'present' AND EXISTS (SELECT 1 FROM contents WHERE id = files.content AND ${ready_in_part}))`
}

/** The paths that have all words, in a text of paths with NUL after each. */
function* found(
  [first = /[^\0]/g, ...others]: readonly RegExp[],
  paths: string,
): Generator<string> {
  first.lastIndex = 0
  for (let hit = first.exec(paths); hit; hit = first.exec(paths)) {
    const end = paths.indexOf('\0', hit.index)
    const path = paths.slice(paths.lastIndexOf('\0', hit.index) + 1, end)
    if (hasAll(others, path)) yield path
    first.lastIndex = end
  }
}
