import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import type { RemovalWait, Twin } from '../../domain/removal.ts'
import { usedSince } from '../rows/counts.ts'
import { createPartingRows } from '../rows/parting-rows.ts'
import { deletedIn, may_be_any, newest_it_may_be, removedIn, twinOf } from '../rows/removal-rows.ts'
import { is_asked_about_sql } from '../rows/run-rows.ts'
import type { Amount } from './view-folders.ts'

/** What the service has and this ledger made, as far as its removal is concerned. */
export interface OutdatedContent {
  id: number
  project_id: string
  md5: string
  size: number
  asset_id: string
  /** Meant to be removed already, without an answer. */
  is_removing: boolean
  /** The service would not, and is not asked before; undefined: it was not asked. */
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

/** What may be removed on the service, for who asks beforehand. */
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
  const folder_id = database.prepare('SELECT id FROM folders WHERE name = ? AND configured = 1').pluck()
  const used = usedSince(database)

  /** Those that no path holds and that a policy may remove, and those that are being removed. */
  function outdated(): OutdatedContent[] {
    return readAll<RawContent>(outdated_sql).map(outdatedContent)
  }

  /** Undefined for one that is not ready, or that this ledger did not make. */
  function content(id: number): OutdatedContent | undefined {
    return readAll<RawContent>(one, id).map(outdatedContent)[0]
  }

  /** The paths that hold it, or other bytes that the service keeps as the same asset. */
  function holders({ id, asset_id }: Pick<OutdatedContent, 'id' | 'asset_id'>): PathIn[] {
    return readAll(holders_sql, { id, asset_id })
  }

  /** Files of its size in the folders of its project that may be it, under another name. */
  function twins({ id, size, project_id }: Pick<OutdatedContent, 'id' | 'size' | 'project_id'>): TwinPath[] {
    const rows = readAll<PathIn & { newest: number }>(twins_sql, { size, project_id })
    return rows.map(({ folder, path, newest }) => ({ folder, path, twin: twinOf(id, newest) }))
  }

  function isAskedAbout(content: number): boolean {
    return is_asked_about.get(content) !== undefined
  }

  /** Contents of a folder that were removed without a person's word since then; `deleted`: whose files were deleted. */
  function removedSince(folder: string, since_ms: number, which: 'all' | 'deleted'): number {
    const id = readOne<number>(folder_id, folder)
    return id === undefined ? 0 : used(which === 'all' ? removedIn(id) : deletedIn(id), since_ms).files
  }

  return {
    outdated,
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

/** What is in the assistant and held by no file here. */
export interface RemovalsView {
  /** They answer still, whether they are to be removed or kept. */
  outdated: Amount
  /** Of these are to be removed; by what they wait for. `due`: for nothing. */
  waiting: { why: RemovalWait | 'due'; versions: number }[]
  /** Folders of which so much is to be removed that a person must say so. */
  held: { folder: string; root: string; versions: number }[]
  /** Meant to be removed, without an answer yet. */
  removing: number
  /** The service removes no assets. */
  refusals: { project_id: string; code: string; message: string; since_ms: number }[]
}

export const no_removals: RemovalsView = {
  outdated: { files: 0, bytes: 0 },
  waiting: [],
  held: [],
  removing: 0,
  refusals: [],
}

/** Each read is of an index that holds these alone. */
export function readRemovals(database: Sqlite): RemovalsView {
  const all = <Row>(sql: string) => readAll<Row>(database.prepare(sql))
  return {
    outdated: all<Amount>(
      `SELECT count(*) AS files, coalesce(sum(size), 0) AS bytes FROM contents WHERE state = 'ready' AND outdated_ms IS NOT NULL`,
    )[0]!,
    waiting: all(
      `SELECT coalesce(remove_why, 'due') AS why, count(*) AS versions FROM contents
       WHERE state = 'ready' AND remove_due_ms IS NOT NULL GROUP BY 1 ORDER BY 2 DESC`,
    ),
    held: all(
      `SELECT folders.name AS folder, folders.root, count(*) AS versions FROM contents
         JOIN partings ON partings.content = contents.id AND partings.accepted = 0
         JOIN folders ON folders.id = partings.folder AND folders.configured = 1
       WHERE contents.state = 'ready' AND remove_due_ms IS NOT NULL AND remove_why = 'person'
       GROUP BY folders.id ORDER BY 3 DESC`,
    ),
    removing: all<{ n: number }>(`SELECT count(*) AS n FROM contents WHERE state = 'removing'`)[0]!.n,
    refusals: all(
      `SELECT project_id, code, message, since_ms FROM removal_refusals JOIN projects ON projects.id = project ORDER BY project_id`,
    ),
  }
}

/** Reads every content's row. */
export function readOwnership(database: Sqlite): { ours: number; others: number } {
  const read = `SELECT coalesce(sum(made_here), 0) AS ours, count(*) - coalesce(sum(made_here), 0) AS others FROM contents WHERE state = 'ready'`
  return readOne<{ ours: number; others: number }>(database.prepare(read))!
}

/** What no path holds any more and the service still has. */
export interface PartingView {
  outdated_ms: number
  /** Undefined: it is kept. */
  due_ms: number | undefined
  /** What it waits for until then, or longer; undefined: for nothing. */
  why: RemovalWait | undefined
  /** Where it waits for files of its size that are left out: one of them. */
  left_out: PathIn | undefined
  is_ours: boolean
  /** A path that held it had another folder path, project or rules then: what goes with such a change is kept. */
  was_let_go: boolean
}

/** An earlier version of a path's file. */
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

/** Undefined where a path holds the content, or it was never there. */
export function readPartingOf(database: Sqlite, content: number): PartingView | undefined {
  const read = database.prepare(`SELECT ${parting_columns} FROM contents WHERE id = ? AND outdated_ms IS NOT NULL`)
  const row = readOne<RawParting>(read, content)
  return row && olderVersion(database, row)
}

/** Of a path whose file is there; the latest first. */
export function readOlderVersionsOf(database: Sqlite, folder: string, path: string): OlderVersion[] {
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

/** Undefined: the last of them has just gone or been taken up. */
function leftOutTwin(database: Sqlite, content: number): PathIn | undefined {
  const read = `SELECT folders.name AS folder, path FROM contents JOIN files ON files.size = contents.size AND (${may_be_any})
      JOIN folders ON folders.id = files.folder AND folders.configured = 1 AND folders.project = contents.project
    WHERE contents.id = ? AND files.state = 'skipped' GROUP BY files.folder, path HAVING ${newest_it_may_be} >= contents.id LIMIT 1`
  return readOne(database.prepare(read), content)
}
