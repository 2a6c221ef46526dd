import { readAll, readOne, type Sqlite } from '../../base/files/sqlite.ts'
import type { ContentState } from '../../domain/content.ts'
import type { FileStat, FileState } from '../../domain/file.ts'
import {
  after_all_paths,
  arrived_ms as arrived_at_ms,
  beforeStart,
  best_copy_first,
  fileStat,
  is_evidence,
} from '../rows/file-rows.ts'
import { type FolderRow, readFolderRows } from '../rows/folder-row.ts'
import { type Stage, stageOf } from './view-files.ts'

/** A file that should be on disk, with the values to compare. */
export interface ComparedFile {
  path: string
  state: FileState
  stage: Stage
  reason: string | undefined
  accepted: boolean
  stat: FileStat
  /** See KnownFile. */
  is_evidence: boolean
  /** See KnownFile. */
  arrived_ms: number | undefined
  /** Ledger id of its content, or of its last one; undefined without one. */
  content: number | undefined
  /** MD5 of its content; undefined unless it is `present`. */
  md5: string | undefined
  asset_id: string | undefined
}

export interface ComparedFolder
  extends Pick<FolderRow, 'root' | 'device' | 'identity' | 'disappearance'> {
  /** See FolderState. */
  is_moved: boolean
}

/** A content with an asset, and one of its files. */
export interface ComparedAsset {
  content: number
  asset_id: string
  state: ContentState
  error_code: string | undefined
  folder: string | undefined
  path: string | undefined
}

/** A label that Sluice attached to a content without pending label changes. */
export interface AttachedLabel {
  content: number
  name: string
  label_id: string
}

/** Rows in memory at a time: a folder may have millions. */
const page_rows = 2_000
const of_files = `SELECT path, files.state, files.reason, files.accepted, files.size, mtime_ns, ctime_ns, inode, content,
    ${is_evidence} AS is_evidence, ${arrived_at_ms} AS arrived_ms,
    iif(md5 IS NULL, NULL, lower(hex(md5))) AS md5, asset_id, coalesce(contents.state, files.state) AS stage
  FROM files LEFT JOIN contents ON contents.id = files.content AND files.state = 'present'`
const folder_id = '(SELECT id FROM folders WHERE name = @folder AND configured = 1)'
/** SQL for a column of the file that names an asset. */
const a_file = (column: string) =>
  `(SELECT ${column} FROM files JOIN folders ON folders.id = files.folder AND configured = 1
    WHERE files.content = contents.id ORDER BY ${best_copy_first}, folders.id, path LIMIT 1)`
const asset_columns = `contents.id AS content, asset_id, contents.state AS state, error_code,
  ${a_file('folders.name')} AS folder, ${a_file('path')} AS path`
const in_project = 'contents.project = (SELECT id FROM projects WHERE project_id = @project_id)'

/** Ledger data to compare with disk and service. Each page shows the ledger as of its query. */
export function createComparisonView(database: Sqlite) {
  const page = database
    .prepare(
      `${of_files}
         WHERE folder = ${folder_id} AND path > @after AND path < @last AND files.state <> 'gone'
         ORDER BY path LIMIT ${page_rows}`,
    )
    .safeIntegers(true)
  const one = database
    .prepare(`${of_files} WHERE folder = ${folder_id} AND path = @path`)
    .safeIntegers(true)
  const ready_sql = database.prepare(
    `SELECT ${asset_columns} FROM contents
       WHERE id > @after AND ${in_project} AND state = 'ready' AND asset_id IS NOT NULL
         AND (@folders IS NULL OR EXISTS (SELECT 1 FROM files JOIN folders ON folders.id = files.folder AND configured = 1
           WHERE files.content = contents.id AND files.state = 'present' AND folders.name IN (SELECT value FROM json_each(@folders))))
       ORDER BY id LIMIT @limit`,
  )
  const listed = database.prepare(
    `SELECT ${asset_columns} FROM contents WHERE asset_id IN (SELECT value FROM json_each(@ids)) AND ${in_project}`,
  )
  const labels_sql = database.prepare(
    `SELECT asset_labels.content, asset_labels.name, label_id FROM asset_labels
         JOIN contents ON contents.id = asset_labels.content
       WHERE asset_labels.content IN (SELECT value FROM json_each(?)) AND labels_due_ms IS NULL`,
  )
  const asset_sql = database.prepare(`SELECT ${asset_columns} FROM contents WHERE id = ?`)
  const newest = database.prepare('SELECT coalesce(max(id), 0) FROM contents').pluck()

  function folder(name: string): ComparedFolder | undefined {
    const row = readFolderRows(database).find((folder) => folder.name === name && folder.configured)
    return row && { ...row, is_moved: row.moved_ms !== undefined }
  }

  /** Files in path order, without `gone` ones. An unknown folder has none. */
  function* files(folder: string): Generator<ComparedFile, undefined> {
    for (let after = ''; ; ) {
      const rows = readAll<RawFile>(page, { folder, after, last: after_all_paths })
      for (const raw of rows) yield comparedFile(raw)
      if (rows.length < page_rows) return undefined
      after = rows.at(-1)!.path
    }
  }

  function fileOrGone(folder: string, path: string): ComparedFile | undefined {
    return readAll<RawFile>(one, { folder, path }).map(comparedFile)[0]
  }

  function file(folder: string, path: string): ComparedFile | undefined {
    const found = fileOrGone(folder, path)
    return found?.state === 'gone' ? undefined : found
  }

  /** Ready contents by id. With `folders`, only those that a file in one of these folders holds. */
  function ready(query: {
    project_id: string
    folders: readonly string[] | undefined
    after: number
    limit: number
  }): ComparedAsset[] {
    const folders = query.folders ? JSON.stringify(query.folders) : null
    return readAll(ready_sql, { ...query, folders })
  }

  return {
    folder,
    files,
    file,
    fileOrGone,
    wasBeforeStart: beforeStart(database, folder_id),
    ready,
    /** Known contents of these assets. Several contents can have the same asset. */
    assets: (project_id: string, asset_ids: readonly string[]) =>
      readAll<ComparedAsset>(listed, { project_id, ids: JSON.stringify(asset_ids) }),
    asset: (content: number) => readOne<ComparedAsset>(asset_sql, content),
    labels: (contents: readonly number[]) =>
      readAll<AttachedLabel>(labels_sql, JSON.stringify(contents)),
    /** Highest id of a content; 0 without contents. */
    newestContent: () => readOne<number>(newest)!,
  }
}

export type ComparisonView = ReturnType<typeof createComparisonView>

type RawFile = Omit<ComparedFile, 'stat' | 'content' | 'accepted' | 'is_evidence' | 'arrived_ms'> &
  Record<keyof FileStat | 'accepted' | 'is_evidence', bigint> &
  Record<'content' | 'arrived_ms', bigint | undefined>

function comparedFile(raw: RawFile): ComparedFile {
  const { path, state, reason, md5, asset_id } = raw
  const content = raw.content === undefined ? undefined : Number(raw.content)
  const arrived_ms = raw.arrived_ms === undefined ? undefined : Number(raw.arrived_ms)
  const stage = stageOf(raw.stage)
  const accepted = raw.accepted === 1n
  const found = { path, state, stage, reason, accepted, arrived_ms, content, md5, asset_id }
  return { ...found, stat: fileStat(raw), is_evidence: raw.is_evidence === 1n }
}
