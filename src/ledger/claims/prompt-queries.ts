import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import { isBefore } from '../../domain/file.ts'
import type { Change } from '../../domain/run.ts'
import type {
  Arrival,
  ArrivalPage,
  ArrivalQuery,
  ChangesPage,
  ChangesQuery,
  UnreadyFile,
  UnreadyPage,
  UnreadyQuery,
} from '../prompt-work.ts'
import { in_need, to_send } from '../rows/content-rows.ts'
import type { FolderRow } from '../rows/folder-row.ts'
import type { FolderRows } from '../rows/folder-rows.ts'
import type { PromptRow, PromptRows } from '../rows/prompt-rows.ts'
import { readingIn, readingJson } from '../rows/reading-rows.ts'
import { shownWords } from '../rows/told-words.ts'

/** Maximum number of arrivals read for one page: about 50 ms, so no other call waits long. */
const max_arrivals_read = 20_000
/** Maximum number of files read for one page when a folder is read path by path. */
const max_files_read = 2_000
/** With more unready files in all folders, the folder is read by path and nothing is sorted. */
const max_sorted = 2_000

/**
 * SQL for files that came, as this prompt sees it. A file older than its folder's configuration
 * counts only if it was put there after the prompt began. The ledger knows that in two cases:
 * - The folder had another project meanwhile. `there_ms` is then the first sight of the file, later
 *   than `started_ms`.
 * - The ledger was lost, so every folder is configured anew. Then the prompt's manifests show since
 *   when the prompt exists.
 */
function cameTo(there_ms: string, started_ms: string): string {
  return `(@only_come = 0 OR ${there_ms} IS NULL OR ${there_ms} > max(@began_ms, ${started_ms})
    OR (${there_ms} > @restored_ms AND ${started_ms} <= @began_ms))`
}

type RawArrival = Omit<Arrival, 'covered' | 'reading'> & {
  covered: 0 | 1
  reading: string | undefined
}

type RawChange = Omit<Change, 'is_there' | 'is_known'> & { id: number; is_there: 0 | 1 }

interface PageOfFolder {
  folder: number
  started_ms: number
  after: string
  limit: number
  /** The folders of the prompt: a list of names as JSON. */
  sees: string
  prompt: number
  only_come: number
  began_ms: number
  restored_ms: number | undefined
}

interface RawUnready extends Omit<UnreadyFile, 'folder' | 'stage' | 'covered'> {
  state: string
  content_state: string | undefined
  content_size: number | undefined
  covered: 0 | 1
}

interface UnreadyRows {
  rows: RawUnready[]
  /** Last path that was read; absent if no more rows follow. */
  next?: string
}

/** Queries of prompts about files. Pages continue by a cursor, in an order that never changes. */
export function createPromptQueries(
  database: Sqlite,
  rows: { folders: FolderRows; prompts: PromptRows },
) {
  const last_read = database
    .prepare('SELECT max(seq) FROM (SELECT seq FROM arrivals WHERE seq >= ? ORDER BY seq LIMIT ?)')
    .pluck()
  const arrivals_sql = database.prepare(
    // On its own, SQLite would use the index by folder. It would read all arrivals of the folder
    // for each page, and all files of the folder for each arrival.
    `SELECT arrivals.seq, arrivals.at_ms AS arrived_ms, contents.id AS content, contents.asset_id,
         lower(hex(contents.md5)) AS md5, contents.size, folders.name AS folder, files.path,
         EXISTS (SELECT 1 FROM covered WHERE covered.prompt = @prompt AND covered.md5 = contents.md5 AND covered.size = contents.size
           AND covered.what = 'asset') AS covered,
         coalesce((SELECT runs FROM unread WHERE unread.prompt = @prompt AND unread.md5 = contents.md5 AND unread.size = contents.size), 0)
           AS times_unread, ${readingJson('@sees')} AS reading
       FROM arrivals CROSS JOIN contents ON contents.id = arrivals.content AND contents.state = 'ready'
         CROSS JOIN folders ON folders.id = arrivals.folder AND folders.configured = 1
         CROSS JOIN files INDEXED BY files_by_content ON files.content = contents.id AND files.folder = +arrivals.folder AND files.state = 'present'
       WHERE arrivals.seq BETWEEN @first AND @last AND (arrivals.seq > @after_seq OR files.path > @after_path)
         AND +arrivals.folder IN (SELECT value FROM json_each(@folders)) AND (arrivals.at_ms >= @since_ms OR times_unread > 0)
         AND (@only_fresh = 0 OR arrivals.seq > @began_seq AND NOT covered)
         AND ${cameTo('arrivals.there_ms', 'folders.started_ms')}
       ORDER BY arrivals.seq, files.path LIMIT @limit`,
  )
  const on_the_way = database
    .prepare(
      `SELECT coalesce(sum(files), 0) FROM counts WHERE stage NOT IN ('seen', 'gone', 'skipped', 'blocked', 'ready')`,
    )
    .pluck()
  const columns = `files.path, files.state, files.size, contents.state AS content_state, contents.id AS content,
      lower(hex(contents.md5)) AS md5, contents.size AS content_size, files.seen_ms,
      iif(files.state = 'blocked', coalesce(files.detail, files.reason), ${shownWords('contents.error_message', '@sees')}) AS why,
      EXISTS (SELECT 1 FROM covered WHERE covered.prompt = @prompt AND covered.md5 = contents.md5 AND covered.size = contents.size
        AND covered.what = 'refusal') AS covered`
  const came = cameTo('files.there_ms', '@started_ms')
  const unsettled_sql = database.prepare(
    `SELECT ${columns} FROM files INDEXED BY files_unsettled LEFT JOIN contents ON contents.id = -1
       WHERE files.state IN ('seen', 'blocked') AND files.folder = @folder AND files.path > @after AND ${came}
       ORDER BY files.path LIMIT @limit`,
  )
  const unready_sql = database.prepare(
    `SELECT ${columns} FROM
         (SELECT * FROM contents INDEXED BY contents_to_send WHERE ${to_send} UNION ALL SELECT * FROM contents WHERE state = 'ingesting'
          UNION ALL SELECT * FROM contents WHERE ${in_need}) AS contents
         CROSS JOIN files INDEXED BY files_by_content ON files.content = contents.id AND files.state = 'present'
       WHERE files.folder = @folder AND files.path > @after AND ${came} ORDER BY files.path LIMIT @limit`,
  )
  const walk = database.prepare(
    `SELECT ${columns}, ${came} AS came FROM files LEFT JOIN contents ON contents.id = files.content AND files.state = 'present'
       WHERE files.folder = @folder AND files.path > @after ORDER BY files.path LIMIT ${max_files_read}`,
  )

  // By id, whatever the folder: the index by folder would sort all changes for each page.
  const changes_sql = database.prepare(
    `SELECT changes.id, folders.name AS folder, changes.path, was, changes.content,
         files.state IS NOT NULL AND files.state <> 'gone' AS is_there
       FROM changes CROSS JOIN folders ON folders.id = changes.folder
         LEFT JOIN files ON files.folder = changes.folder AND files.path = changes.path
       WHERE changes.id > @after AND folders.configured = 1 AND +folders.name IN (SELECT value FROM json_each(@folders))
       ORDER BY changes.id LIMIT @limit`,
  )

  const known_sql = database.prepare(
    `SELECT 1 FROM folders JOIN arrivals ON arrivals.folder = folders.id AND arrivals.content = @content
         JOIN contents ON contents.id = arrivals.content AND contents.state = 'ready'
       WHERE folders.name = @folder AND (arrivals.seq <= @began_seq OR NOT ${cameTo('arrivals.there_ms', 'folders.started_ms')}
         OR EXISTS (SELECT 1 FROM covered WHERE covered.prompt = @prompt AND covered.md5 = contents.md5 AND covered.size = contents.size
           AND covered.what = 'asset'))`,
  )

  function changes(query: ChangesQuery): ChangesPage {
    const { folders, after, limit } = query
    const prompt = rows.prompts.named(query.prompt)
    if (!prompt) return { changes: [], to: 0, has_next: false }
    const { changes_to, changed } = prompt
    const raw = readAll<RawChange>(changes_sql, {
      after: after ?? changes_to,
      folders: JSON.stringify(folders),
      limit,
    })
    const open = (after === undefined ? changed : []).filter(({ folder }) =>
      folders.includes(folder),
    )
    const read = raw.map(({ id: _, is_there, ...row }) => ({ ...row, is_there: is_there === 1 }))
    const of_prompt = { ...asked(query, prompt), began_seq: prompt.began_seq }
    const isKnown = ({ folder, content }: Change) =>
      content !== undefined && readOne(known_sql, { folder, content, ...of_prompt }) !== undefined
    return {
      changes: [...open, ...read].map((change) => ({ ...change, is_known: isKnown(change) })),
      to: raw.at(-1)?.id ?? after ?? changes_to,
      has_next: raw.length === limit,
    }
  }

  function arrivals(query: ArrivalQuery): ArrivalPage {
    const { only_fresh, since_ms, after, limit } = query
    const prompt = rows.prompts.named(query.prompt)
    const began_seq = prompt?.began_seq ?? 0
    const first = Math.max(after?.seq ?? 0, only_fresh ? began_seq + 1 : 0)
    const last = readOne<number>(last_read, first, max_arrivals_read)
    if (last === undefined) return { arrivals: [] }
    const raw = readAll<RawArrival>(arrivals_sql, {
      first,
      last,
      after_seq: after?.seq ?? -1,
      after_path: after?.path ?? '',
      folders: JSON.stringify(foldersNamed(query.folders).map(({ id }) => id)),
      sees: JSON.stringify(query.folders),
      since_ms: since_ms ?? Number.MIN_SAFE_INTEGER,
      only_fresh: only_fresh ? 1 : 0,
      began_seq,
      ...asked(query, prompt),
      limit,
    })
    const found = raw.map((row) => ({
      ...row,
      covered: row.covered === 1,
      reading: readingIn(row.reading),
    }))
    const end = found.at(-1)
    if (end && found.length === limit)
      return { arrivals: found, next: { seq: end.seq, path: end.path } }
    if (readOne(last_read, last + 1, 1) === undefined) return { arrivals: found }
    // The next page begins with the first arrival that was not read.
    return { arrivals: found, next: { seq: last + 1, path: '' } }
  }

  function unready(query: UnreadyQuery): UnreadyPage {
    const { after, limit } = query
    const prompt = rows.prompts.named(query.prompt)
    const wanted = foldersNamed(query.folders)
    // Only users who see all of these folders are shown a report over them.
    const sees = JSON.stringify(query.folders)
    const begun = after ? wanted.findIndex(({ name }) => name === after.folder) : 0
    const files: UnreadyFile[] = []
    for (const [index, folder] of wanted.entries()) {
      if (index < begun) continue
      const path = index === begun ? (after?.path ?? '') : ''
      if (files.length > 0 && files.length >= limit)
        return { files, next: { folder: folder.name, path } }
      const { id, name, started_ms } = folder
      const here = { folder: id, started_ms, after: path, limit: limit - files.length, sees }
      const { rows, next } = pageOf({ ...here, ...asked(query, prompt) })
      for (const row of rows) files.push(unreadyFile(name, row))
      if (next !== undefined) return { files, next: { folder: name, path: next } }
    }
    return { files }
  }

  function pageOf(query: PageOfFolder): UnreadyRows {
    if (readOne<number>(on_the_way)! > max_sorted) return walkOn(query)
    const both = [unready_sql, unsettled_sql].flatMap((statement) =>
      readAll<RawUnready>(statement, query),
    )
    const rows = both.sort((a, b) => (isBefore(a.path, b.path) ? -1 : 1)).slice(0, query.limit)
    return rows.length < query.limit ? { rows } : { rows, next: rows.at(-1)!.path }
  }

  function walkOn({ limit, ...query }: PageOfFolder): UnreadyRows {
    const read = readAll<RawUnready & { came: 0 | 1 }>(walk, query)
    const rows = read
      .filter((row) => row.came === 1 && stageOfUnready(row) !== undefined)
      .slice(0, limit)
    if (rows.length === limit) return { rows, next: rows.at(-1)!.path }
    return read.length < max_files_read ? { rows } : { rows, next: read.at(-1)!.path }
  }

  /** Configured folders in the order of their ids, which cursors rely on. */
  function foldersNamed(names: readonly string[]): FolderRow[] {
    const wanted = rows.folders
      .all()
      .filter(({ name, configured }) => configured && names.includes(name))
    return wanted.sort((a, b) => a.id - b.id)
  }

  return { arrivals, unready, changes }
}

/** Query values of a prompt. For an unknown one, no file older than its folder's setup counts. */
function asked(
  { only_come }: { only_come: boolean },
  prompt: PromptRow | undefined,
): Pick<PageOfFolder, 'prompt' | 'only_come' | 'began_ms' | 'restored_ms'> {
  return {
    prompt: prompt?.id ?? 0,
    only_come: only_come ? 1 : 0,
    began_ms: prompt?.began_ms ?? Number.MAX_SAFE_INTEGER,
    restored_ms: prompt?.restored_ms,
  }
}

const stages: Readonly<Record<string, UnreadyFile['stage']>> = {
  seen: 'moving',
  blocked: 'blocked',
  wanted: 'on_the_way',
  reserving: 'on_the_way',
  reserved: 'on_the_way',
  sent: 'on_the_way',
  ingesting: 'on_the_way',
  refused: 'refused',
  type_refused: 'refused',
  removed_on_service: 'removed',
}

/** Undefined for a file that is ready, gone or skipped, or whose content is being removed. */
function stageOfUnready({ state, content_state }: RawUnready): UnreadyFile['stage'] | undefined {
  return stages[content_state ?? state]
}

function unreadyFile(folder: string, row: RawUnready): UnreadyFile {
  const { path, content, seen_ms, why } = row
  const stage = stageOfUnready(row)!
  const md5 = content === undefined ? undefined : row.md5
  const size = row.content_size ?? row.size
  return {
    folder,
    path,
    stage,
    content,
    md5,
    size,
    seen_ms,
    why,
    covered: stage === 'refused' && row.covered === 1,
  }
}
