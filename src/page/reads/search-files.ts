import { openLedgerReadOnly } from '../../ledger/file/ledger-file.ts'
import { createFilesView, type FileView, type Stage, stages, statesOf } from '../../ledger/views/view-files.ts'
import { using } from '../../status/with-view.ts'
import { findersOf } from './search-words.ts'

export interface FilesSearch {
  /** Folders to search, in the order of the answer. */
  folders: readonly { name: string; path: string }[]
  /** Parts of names or paths; all must occur. Also the place of a file, as Sluice prints it. */
  query: string
  /** Stages to find; empty for all except `gone`. */
  stages: readonly Stage[]
  /** Only files that became ready at this time or later, Unix ms. */
  since_ms?: number | undefined
  /** The last file of the page before. */
  after?: { folder: string; path: string } | undefined
  limit: number
}

/** Rows read at first: a frequent word is found there. */
const first_rows = 500
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
           AND (@since_ms IS NULL OR ready_ms >= @since_ms) AND ${condition} ORDER BY path LIMIT @limit)`,
    )

  /** `rows_read`: number of rows that the answer took. */
  async function search({ folders, query, stages: wanted, since_ms, after: last, limit }: FilesSearch) {
    const chunk = chunkOf(wanted.length > 0 ? inStages(wanted) : `state <> 'gone'`)
    const files: FileView[] = []
    let rows_read = 0
    const first = folders.findIndex(({ name }) => name === last?.folder)
    for (const { name: folder, path: root } of folders.slice(Math.max(0, first))) {
      const start = [`${folder}/`, `${root}/`].find((place) => query.trim().startsWith(place)) ?? ''
      const finders = findersOf(query.trim().slice(start.length))
      let after = folder === last?.folder ? last.path : ''
      for (let size = first_rows; ; size = chunk_rows) {
        const { rows, paths } = chunk.get({ folder, after, since_ms: since_ms ?? null, limit: size }) as {
          rows: number
          paths: string
        }
        rows_read += rows
        for (const path of rows === 0 ? [] : found(finders, `${paths}\0`)) {
          if (files.length === limit) return { files, has_more: true, rows_read }
          files.push(...view.files({ folder, prefix: path, stages, after: undefined, limit: 1 }))
        }
        if (rows < size) break
        after = paths.slice(paths.lastIndexOf('\0') + 1)
        await new Promise((resolve) => setImmediate(resolve))
      }
    }
    return { files, has_more: false, rows_read }
  }
  return { search, close: () => void database.close() }
})

/** SQL for files in one of these stages. It reads the content of present files alone. */
function inStages(wanted: readonly Stage[]): string {
  const states = statesOf(wanted).map((state) => `'${state}'`)
  return `CASE state WHEN 'present' THEN (SELECT state FROM contents WHERE id = content) ELSE state END IN (${states})`
}

/** The paths that have all words, in a text of paths with NUL after each. */
function* found([first = /[^\0]/g, ...others]: readonly RegExp[], paths: string): Generator<string> {
  first.lastIndex = 0
  for (let hit = first.exec(paths); hit; hit = first.exec(paths)) {
    const end = paths.indexOf('\0', hit.index)
    const path = paths.slice(paths.lastIndexOf('\0', hit.index) + 1, end)
    if (others.every((word) => path.search(word) >= 0)) yield path
    first.lastIndex = end
  }
}
