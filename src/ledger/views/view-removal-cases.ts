import type { Sqlite } from '../../base/files/sqlite.ts'
import type { ContentState } from '../../domain/content.ts'
import type { FileState } from '../../domain/file.ts'
import type { Parting, RemovalWait, Twin } from '../../domain/removal.ts'
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

export interface KnownParting extends Pick<Parting, 'why' | 'policy' | 'accepted' | 'at_ms'> {
  folder: string
  path: string
  /** What the ledger knows of the path by now; undefined: it was forgotten. */
  row: { state: FileState; gone_ms: number | undefined; content_state: ContentState | undefined } | undefined
}

/** A path that is here, as far as is known. */
export interface HoldingPath {
  path: string
  content: number | undefined
  is_blocked: boolean
}

export interface PathIn {
  folder: string
  path: string
}

export interface TwinPath extends PathIn {
  twin: Twin
}

type Raw = Record<string, number | string | Buffer | null>

/** Rows in memory at a time: a folder may have millions. */
const page_rows = 5_000

const content_columns = `contents.id, project_id, md5, size, asset_id, contents.state, remove_why, remove_due_ms`
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
  const partings_sql = database.prepare(
    `SELECT folders.name AS folder, partings.path, why, policy, partings.accepted, at_ms, files.state, files.gone_ms,
         contents.state AS content_state
       FROM partings JOIN folders ON folders.id = partings.folder
         LEFT JOIN files ON files.folder = partings.folder AND files.path = partings.path
         LEFT JOIN contents ON contents.id = files.content
       WHERE partings.content = ? ORDER BY partings.folder, partings.path`,
  )
  const paths_sql = database.prepare(
    `SELECT path, content, state = 'blocked' AS is_blocked FROM files
       WHERE folder = (SELECT id FROM folders WHERE name = @folder AND configured = 1) AND path > @after AND state <> 'gone'
       ORDER BY path LIMIT ${page_rows}`,
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
  const lately = database.prepare(
    `SELECT coalesce(sum(files), 0) AS files FROM usage
       WHERE hour_ms > @since_ms AND what = @what || (SELECT id FROM folders WHERE name = @folder AND configured = 1)`,
  )

  /** Those that no path holds and that a policy may remove, and those that are being removed. */
  function* outdated(): Generator<OutdatedContent> {
    for (const raw of outdated_sql.all() as Raw[]) yield outdatedContent(raw)
  }

  /** Undefined for one that is not ready, or that this ledger did not make. */
  function content(id: number): OutdatedContent | undefined {
    const raw = one.get(id) as Raw | undefined
    return raw && outdatedContent(raw)
  }

  function partings(content: number): KnownParting[] {
    return (partings_sql.all(content) as Raw[]).map(knownParting)
  }

  /** Those of a folder that are not gone, in path order. */
  function* paths(folder: string): Generator<HoldingPath, undefined> {
    let after = ''
    for (;;) {
      const page = paths_sql.all({ folder, after }) as {
        path: string
        content: number | null
        is_blocked: number
      }[]
      for (const { path, content, is_blocked } of page) {
        yield { path, content: content ?? undefined, is_blocked: is_blocked === 1 }
      }
      if (page.length < page_rows) return undefined
      after = page.at(-1)!.path
    }
  }

  /** The paths that hold it, or other bytes that the service keeps as the same asset. */
  function holders({ id, asset_id }: Pick<OutdatedContent, 'id' | 'asset_id'>): PathIn[] {
    return holders_sql.all({ id, asset_id }) as PathIn[]
  }

  /** Files of its size in the folders of its project that may be it, under another name. */
  function twins({ id, size, project_id }: Pick<OutdatedContent, 'id' | 'size' | 'project_id'>): TwinPath[] {
    const rows = twins_sql.all({ size, project_id }) as (PathIn & { newest: number })[]
    return rows.map(({ folder, path, newest }) => ({ folder, path, twin: twinOf(id, newest) }))
  }

  function isAskedAbout(content: number): boolean {
    return is_asked_about.get(content) !== undefined
  }

  /** Contents of a folder that were removed without a person's word since then; `deleted`: whose files were deleted. */
  function removedSince(folder: string, since_ms: number, which: 'all' | 'deleted'): number {
    const what = (which === 'all' ? removedIn(0) : deletedIn(0)).slice(0, -1)
    return (lately.get({ folder, since_ms, what }) as { files: number }).files
  }

  return { outdated, content, partings, paths, holders, twins, isAskedAbout, removedSince }
}

export type RemovalCasesView = ReturnType<typeof createRemovalCasesView>

function outdatedContent(raw: Raw): OutdatedContent {
  return {
    id: raw.id as number,
    project_id: raw.project_id as string,
    md5: (raw.md5 as Buffer).toString('hex'),
    size: raw.size as number,
    asset_id: raw.asset_id as string,
    is_removing: raw.state === 'removing',
    refused_until_ms: raw.remove_why === 'service' ? (raw.remove_due_ms as number) : undefined,
  }
}

function knownParting({ state, gone_ms, content_state, ...raw }: Raw): KnownParting {
  const { folder, path, why, policy, at_ms } = raw as unknown as KnownParting
  const row = {
    state: state as FileState,
    gone_ms: (gone_ms as number | null) ?? undefined,
    content_state: (content_state as ContentState | null) ?? undefined,
  }
  return { folder, path, why, policy, at_ms, accepted: raw.accepted === 1, row: state === null ? undefined : row }
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
