import { createPromptQueries } from '../claims/prompt-queries.ts'
import { openLedgerReadOnly } from '../file/ledger-file.ts'
import type { ArrivalQuery, ChangesQuery, UnreadyQuery } from '../prompt-work.ts'
import { createFolderRows } from '../rows/folder-rows.ts'
import { createNamingReader } from '../rows/name-rows.ts'
import { createPromptRows } from '../rows/prompt-rows.ts'
import { readFolders } from './view-folders.ts'

/** A ready content with one of its present files. */
export interface ArrivedFile {
  asset_id: string
  folder: string
  path: string
  arrived_ms: number
}

/** A file that is deleted on disk, while the service still has its content. */
export interface DeletedFile extends Omit<ArrivedFile, 'arrived_ms'> {
  /** Its name on the service; null: not known. */
  shown_name: string | null
}

/** Deleted files that are compared with an answer: some 50 ms. */
const max_deleted = 10_000

/** Arrivals per page. Between pages the connection is free, and memory holds only one page. */
const page_arrivals = 1_000

/** Errors: those of openLedgerReadOnly. */
export function openArrivalsView(state_dir: string) {
  const database = openLedgerReadOnly(state_dir)
  const page = database.prepare(
    `WITH page AS (
       SELECT seq, folder, content, at_ms FROM arrivals
       WHERE seq < @before AND at_ms >= @since_ms
         AND folder IN (SELECT id FROM folders WHERE configured = 1 AND name IN (SELECT value FROM json_each(@folders)))
       ORDER BY seq DESC LIMIT ${page_arrivals}
     )
     SELECT page.seq, at_ms AS arrived_ms, folders.name AS folder, contents.asset_id, files.path
     FROM page JOIN folders ON folders.id = page.folder
       LEFT JOIN contents ON contents.id = page.content AND contents.state = 'ready'
       LEFT JOIN files ON files.content = contents.id AND files.folder = page.folder AND files.state = 'present'
     ORDER BY page.seq DESC, files.path`,
  )
  const deleted = database.prepare(
    `SELECT folders.name AS folder, path, asset_id, asset_names.text AS shown_name
     FROM files JOIN folders ON folders.id = files.folder JOIN contents ON contents.id = files.content
       LEFT JOIN asset_names ON asset_names.content = contents.id AND asset_names.state = 'shown'
     WHERE files.state = 'gone' AND contents.state = 'ready' AND NOT EXISTS
       (SELECT 1 FROM files AS other WHERE other.content = contents.id AND other.state <> 'gone')
     ORDER BY gone_ms DESC LIMIT ${max_deleted}`,
  )
  let naming: ReturnType<typeof createNamingReader> | undefined
  return {
    /** Folders whose names the service has for this asset, beside that of the file (or null). */
    naming({ asset_id, folder, path }: ArrivedFile): (string | null)[] {
      naming ??= createNamingReader(database)
      return naming(asset_id, `${folder}/${path}`)
    },
    /**
     * Yields the files that a question can cover, the newest arrival first: each present path of a
     * ready content in these folders. It reads only as far as the caller iterates.
     */
    *newest({
      folders,
      since_ms = 0,
    }: {
      folders: readonly string[]
      since_ms?: number | undefined
    }) {
      for (let before = Number.MAX_SAFE_INTEGER; ; ) {
        const rows = page.all({ before, since_ms, folders: JSON.stringify(folders) }) as Row[]
        if (rows.length === 0) return
        for (const { seq, asset_id, path, ...row } of rows) {
          before = seq
          if (asset_id !== null && path !== null) yield { ...row, asset_id, path }
        }
      }
    },
    /** The newest files that are deleted on disk, with contents that only the service still has. */
    deleted: () => deleted.all() as DeletedFile[],
    close: () => void database.close(),
  }
}

/** `asset_id` is null if the content is not ready. `path` is null then, or without a file. */
interface Row {
  seq: number
  arrived_ms: number
  folder: string
  asset_id: string | null
  path: string | null
}

/** Data from which a run would be planned. Reads only, with or without a running daemon. */
export type FreshView = ReturnType<typeof openFreshView>

/** Errors: those of openLedgerReadOnly. */
export function openFreshView(state_dir: string) {
  const database = openLedgerReadOnly(state_dir)
  const prompts = createPromptRows(database)
  const queries = createPromptQueries(database, { folders: createFolderRows(database), prompts })
  return {
    folders: async () => readFolders(database),
    arrivals: async (query: ArrivalQuery) => queries.arrivals(query),
    unready: async (query: UnreadyQuery) => queries.unready(query),
    changes: async (query: ChangesQuery) => queries.changes(query),
    /** Undefined if no daemon has recorded it yet: `first_run` then decides if all is fresh. */
    prompt: (name: string) => prompts.states().find((state) => state.name === name),
    close: () => void database.close(),
  }
}
