import type { Sqlite } from '../base/sqlite.ts'
import type { RemovalWait } from '../domain/removal.ts'
import { may_be_any, newest_it_may_be } from './removal-rows.ts'
import type { Amount } from './view-folders.ts'

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
  const all = <Row>(sql: string) => database.prepare(sql).all() as Row[]
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
  return database.prepare(read).get() as { ours: number; others: number }
}

interface PathOf {
  folder: string
  path: string
}

/** What no path holds any more and the service still has. */
export interface PartingView {
  outdated_ms: number
  /** Undefined: it is kept. */
  due_ms: number | undefined
  /** What it waits for until then, or longer; undefined: for nothing. */
  why: RemovalWait | undefined
  /** Where it waits for files of its size that are left out: one of them. */
  left_out: PathOf | undefined
  is_ours: boolean
  /** A path that held it had another folder path, project or rules then: what goes with such a change is kept. */
  was_let_go: boolean
}

/** An earlier version of a path's file. */
export interface OlderVersion extends PartingView {
  asset_id: string
}

interface RawParting {
  id: number
  outdated_ms: number
  due_ms: number | null
  why: RemovalWait | null
  made_here: 0 | 1
  let_go: 0 | 1
  asset_id: string
}

const parting_columns = `contents.id, outdated_ms, remove_due_ms AS due_ms, remove_why AS why, made_here, asset_id,
  EXISTS (SELECT 1 FROM partings AS of_path WHERE of_path.content = contents.id AND of_path.why = 'let_go') AS let_go`

/** Undefined where a path holds the content, or it was never there. */
export function readPartingOf(database: Sqlite, content: number): PartingView | undefined {
  const row = database
    .prepare(`SELECT ${parting_columns} FROM contents WHERE id = ? AND outdated_ms IS NOT NULL`)
    .get(content) as RawParting | undefined
  return row && partingView(database, row)
}

/** Of a path whose file is there; the latest first. */
export function readOlderVersionsOf(database: Sqlite, folder: string, path: string): OlderVersion[] {
  const rows = database
    .prepare(
      `SELECT ${parting_columns} FROM partings JOIN contents ON contents.id = partings.content
       WHERE partings.folder = (SELECT id FROM folders WHERE name = ?) AND path = ? AND partings.why <> 'deleted'
         AND contents.state IN ('ready', 'removing') AND outdated_ms IS NOT NULL ORDER BY outdated_ms DESC`,
    )
    .all(folder, path) as RawParting[]
  return rows.map((row) => ({ ...partingView(database, row), asset_id: row.asset_id }))
}

function partingView(database: Sqlite, raw: RawParting): PartingView {
  const { id, outdated_ms, due_ms, why, made_here, let_go } = raw
  const [is_ours, was_let_go] = [made_here === 1, let_go === 1]
  const left_out = why === 'left_out' ? leftOutTwin(database, id) : undefined
  return { outdated_ms, due_ms: due_ms ?? undefined, why: why ?? undefined, left_out, is_ours, was_let_go }
}

/** Undefined: the last of them has just gone or been taken up. */
function leftOutTwin(database: Sqlite, content: number): PathOf | undefined {
  const read = `SELECT folders.name AS folder, path FROM contents JOIN files ON files.size = contents.size AND (${may_be_any})
      JOIN folders ON folders.id = files.folder AND folders.configured = 1 AND folders.project = contents.project
    WHERE contents.id = ? AND files.state = 'skipped' GROUP BY files.folder, path HAVING ${newest_it_may_be} >= contents.id LIMIT 1`
  return database.prepare(read).get(content) as PathOf | undefined
}
