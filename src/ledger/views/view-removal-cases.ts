import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import type { RemovalWait, Twin } from '../../domain/removal.ts'
import { usedSince } from '../rows/counts.ts'
import {
  createPartingRows,
  deletedIn,
  may_be_any,
  newest_it_may_be,
  removedIn,
  twinOf,
} from '../rows/removal-rows.ts'
import { is_asked_about_sql } from '../rows/run-rows.ts'
import type { Amount } from './view-folders.ts'

/** An asset that this ledger made, with what matters for its removal. */
export interface OutdatedContent {
  id: number
  project_id: string
  md5: string
  size: number
  asset_id: string
  /** True if its removal began and has no answer yet. */
  is_removing: boolean
  /** Next request after the service refused one, Unix ms; undefined without a refusal. */
  refused_until_ms: number | undefined
}

export interface PathIn {
  folder: string
  path: string
}

export interface TwinPath extends PathIn {
  twin: Twin
}

const content_columns = `contents.id, project_id, lower(hex(md5)) AS md5, size, asset_id, contents.state = 'removing' AS is_removing,
  iif(remove_why = 'service', remove_due_ms, NULL) AS refused_until_ms`
const of_contents = 'FROM contents JOIN projects ON projects.id = contents.project'

/** Assets that may be removed on the service, for `sluice plan`. */
export function createRemovalCasesView(database: Sqlite) {
  const outdated_sql = database.prepare(
    `SELECT ${content_columns} ${of_contents} WHERE contents.state = 'removing'
       UNION ALL
       SELECT ${content_columns} ${of_contents} WHERE contents.state = 'ready' AND outdated_ms IS NOT NULL AND made_here = 1
         AND EXISTS (SELECT 1 FROM partings WHERE content = contents.id AND policy = 'remove')`,
  )
  const one = database.prepare(
    `SELECT ${content_columns} ${of_contents} WHERE contents.id = ? AND contents.state = 'ready' AND made_here = 1`,
  )
  const holders_sql = database.prepare(
    `SELECT folders.name AS folder, path FROM contents JOIN files ON files.content = contents.id AND files.state <> 'gone'
         JOIN folders ON folders.id = files.folder
       WHERE contents.id = @id OR contents.asset_id = @asset_id`,
  )
  const twins_sql = database.prepare(
    `SELECT folders.name AS folder, path, ${newest_it_may_be} AS newest
       FROM files JOIN folders ON folders.id = files.folder AND folders.configured = 1 JOIN projects ON projects.id = folders.project
       WHERE files.size = @size AND (${may_be_any}) AND project_id = @project_id
       GROUP BY files.folder, path`,
  )
  const is_asked_about = database.prepare(is_asked_about_sql)
  const folder_id = database
    .prepare('SELECT id FROM folders WHERE name = ? AND configured = 1')
    .pluck()
  const used = usedSince(database)

  /** Undefined if it is not ready, or this ledger did not make its asset. */
  function content(id: number): OutdatedContent | undefined {
    return readAll<RawContent>(one, id).map(outdatedContent)[0]
  }

  /** Paths that hold this content, or another content with the same asset. */
  function holders({ id, asset_id }: Pick<OutdatedContent, 'id' | 'asset_id'>): PathIn[] {
    return readAll(holders_sql, { id, asset_id })
  }

  /** Files of the same size in the project that may be this content under another name. */
  function twins({
    id,
    size,
    project_id,
  }: Pick<OutdatedContent, 'id' | 'size' | 'project_id'>): TwinPath[] {
    const rows = readAll<PathIn & { newest: number }>(twins_sql, { size, project_id })
    return rows.map(({ folder, path, newest }) => ({ folder, path, twin: twinOf(id, newest) }))
  }

  const isAskedAbout = (content: number): boolean => is_asked_about.get(content) !== undefined

  /** Contents of a folder removed since then without an acknowledgement. */
  function removedSince(folder: string, since_ms: number, which: 'all' | 'deleted'): number {
    const id = readOne<number>(folder_id, folder)
    return id === undefined
      ? 0
      : used(which === 'all' ? removedIn(id) : deletedIn(id), since_ms).files
  }

  return {
    /** Contents that no path holds and a policy may remove, and contents being removed. */
    outdated: (): OutdatedContent[] => readAll<RawContent>(outdated_sql).map(outdatedContent),
    content,
    partings: createPartingRows(database).ofContent,
    holders,
    twins,
    isAskedAbout,
    removedSince,
  }
}

export type RemovalCasesView = ReturnType<typeof createRemovalCasesView>

type RawContent = Omit<OutdatedContent, 'is_removing'> & { is_removing: 0 | 1 }

function outdatedContent(raw: RawContent): OutdatedContent {
  return { ...raw, is_removing: raw.is_removing === 1 }
}

/** Assets in the assistant that no file here holds. */
export interface RemovalsView {
  /**
   * All of them: the assistant still uses them, whether they are to be removed or kept. `deleted`:
   * those of deleted files; `replaced`: of files with newer bytes. Rules leave out the rest.
   */
  outdated: Amount & { deleted: number; replaced: number }
  /** Versions to be removed, by what they wait for; `due`: they wait for nothing. */
  waiting: { why: RemovalWait | 'due'; versions: number }[]
  /** Folders with so many versions to remove that a user must accept it. */
  held: { folder: string; root: string; versions: number }[]
  /** Number of removals that began and have no answer yet. */
  removing: number
  /** Projects in which the service refuses to remove assets. */
  refusals: { project_id: string; code: string; message: string; since_ms: number }[]
}

export const no_removals: RemovalsView = {
  outdated: { files: 0, bytes: 0, deleted: 0, replaced: 0 },
  waiting: [],
  held: [],
  removing: 0,
  refusals: [],
}

/** Each query uses an index that holds only these rows. */
export function readRemovals(database: Sqlite): RemovalsView {
  const all = <Row>(sql: string) => readAll<Row>(database.prepare(sql))
  return {
    outdated: all<RemovalsView['outdated']>(
      `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes, count(*) FILTER (WHERE why = 'deleted') AS deleted,
         count(*) FILTER (WHERE why = 'changed') AS replaced
       FROM (SELECT size, (SELECT why FROM partings WHERE content = contents.id ORDER BY why = 'let_go', at_ms DESC LIMIT 1) AS why
         FROM contents WHERE state = 'ready' AND outdated_ms IS NOT NULL)`,
    )[0]!,
    waiting: all(
      `SELECT coalesce(remove_why, 'due') AS why, count(*) AS versions FROM contents
       WHERE state = 'ready' AND remove_due_ms IS NOT NULL GROUP BY 1 ORDER BY 2 DESC`,
    ),
    held: all(
      `SELECT folders.name AS folder, folders.root, count(*) AS versions FROM contents
         JOIN partings ON partings.content = contents.id AND partings.accepted = 0
         JOIN folders ON folders.id = partings.folder AND folders.configured = 1
       WHERE contents.state = 'ready' AND remove_due_ms IS NOT NULL AND remove_why = 'user'
       GROUP BY folders.id ORDER BY 3 DESC`,
    ),
    removing: all<{ n: number }>(`SELECT count(*) AS n FROM contents WHERE state = 'removing'`)[0]!
      .n,
    refusals: all(
      `SELECT project_id, code, message, since_ms FROM removal_refusals JOIN projects ON projects.id = project ORDER BY project_id`,
    ),
  }
}

/** Projects whose assets the service does not rename. */
export function readRenameRefusals(database: Sqlite): RemovalsView['refusals'] {
  const read = `SELECT project_id, code, message, since_ms FROM name_refusals JOIN projects ON projects.id = project ORDER BY project_id`
  return readAll(database.prepare(read))
}

/** Number of ready assets that this ledger made, and of others. Reads every content's row. */
export function readOwnership(database: Sqlite): { ours: number; others: number } {
  const read = `SELECT coalesce(sum(made_here), 0) AS ours, count(*) - coalesce(sum(made_here), 0) AS others FROM contents WHERE state = 'ready'`
  return readOne<{ ours: number; others: number }>(database.prepare(read))!
}

/** A content that no path holds any more. */
export interface PartingView {
  outdated_ms: number
  /** Next decision about its removal, Unix ms; undefined if it is kept. */
  due_ms: number | undefined
  /** Reason for the wait until then, or longer; undefined without one. */
  why: RemovalWait | undefined
  /** One of the skipped files of its size that it waits for; undefined if it does not. */
  left_out: PathIn | undefined
  is_ours: boolean
  /** True if a change of the folder's path, project or rules released it; then it is kept. */
  was_let_go: boolean
}

export interface OlderVersion extends PartingView {
  asset_id: string
}

interface RawParting extends Pick<PartingView, 'outdated_ms' | 'due_ms' | 'why'> {
  id: number
  is_ours: 0 | 1
  was_let_go: 0 | 1
  asset_id: string
}

const parting_columns = `contents.id, outdated_ms, remove_due_ms AS due_ms, remove_why AS why, made_here AS is_ours, asset_id,
  EXISTS (SELECT 1 FROM partings AS of_path WHERE of_path.content = contents.id AND of_path.why = 'let_go') AS was_let_go`

/** Undefined if a path holds the content, or the ledger does not know it. */
export function readPartingOf(database: Sqlite, content: number): PartingView | undefined {
  const read = database.prepare(
    `SELECT ${parting_columns} FROM contents WHERE id = ? AND outdated_ms IS NOT NULL`,
  )
  const row = readOne<RawParting>(read, content)
  return row && olderVersion(database, row)
}

/** Contents that the path held before, and that the service still has, the latest first. */
export function readOlderVersionsOf(
  database: Sqlite,
  folder: string,
  path: string,
): OlderVersion[] {
  const read = database.prepare(
    `SELECT ${parting_columns} FROM partings JOIN contents ON contents.id = partings.content
       WHERE partings.folder = (SELECT id FROM folders WHERE name = ?) AND path = ? AND partings.why <> 'deleted'
         AND contents.state IN ('ready', 'removing') AND outdated_ms IS NOT NULL ORDER BY outdated_ms DESC`,
  )
  return readAll<RawParting>(read, folder, path).map((row) => olderVersion(database, row))
}

function olderVersion(database: Sqlite, { id, ...row }: RawParting): OlderVersion {
  const left_out = row.why === 'left_out' ? leftOutTwin(database, id) : undefined
  return { ...row, left_out, is_ours: row.is_ours === 1, was_let_go: row.was_let_go === 1 }
}

/** Undefined if the last such file has just gone or settled. */
function leftOutTwin(database: Sqlite, content: number): PathIn | undefined {
  const read = `SELECT folders.name AS folder, path FROM contents JOIN files ON files.size = contents.size AND (${may_be_any})
      JOIN folders ON folders.id = files.folder AND folders.configured = 1 AND folders.project = contents.project
    WHERE contents.id = ? AND files.state = 'skipped' GROUP BY files.folder, path HAVING ${newest_it_may_be} >= contents.id LIMIT 1`
  return readOne(database.prepare(read), content)
}
