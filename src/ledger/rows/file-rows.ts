import type { Sqlite } from '../../base/files/sqlite.ts'
import type { FileStat, FileState, KnownFile } from '../../domain/file.ts'
import { file_reasons } from '../../domain/file-reasons.ts'

const states: Record<FileState, true> = {
  seen: true,
  present: true,
  blocked: true,
  skipped: true,
  gone: true,
}
const quoted = (Object.keys(states) as FileState[]).map((state) => `'${state}'`)

/** SQL for a file that is not gone. The states are listed so that an index by state serves it. */
export const is_there = `files.state IN (${quoted.filter((state) => state !== `'gone'`).join()})`

const accept_reasons = Object.entries(file_reasons).filter(
  ([, { can_be_accepted }]) => can_be_accepted,
)
/** SQL for a row of `files` with a reason that `sluice accept` ends. It uses no index by reason. */
export const waits_for_accept = `+files.reason IN (${accept_reasons.map(([reason]) => `'${reason}'`).join()})`

/** SQL order of the copies of a content, to name one: those that hold it first, gone ones last. */
export const best_copy_first = `files.state <> 'present', files.state = 'gone'`

/**
 * SQL for the oldest `there_ms` of the copies of a content in a folder, gone ones included. It asks
 * state by state: one entry of files_by_content answers each.
 */
export function oldestThere(content: string, folder: string): string {
  const of_state = quoted.map(
    (state) =>
      `SELECT min(there_ms) AS oldest FROM files WHERE content = ${content} AND state = ${state} AND folder = ${folder} AND there_ms IS NOT NULL`,
  )
  return `(SELECT min(oldest) FROM (${of_state.join(' UNION ALL ')}))`
}

export interface FileRow extends Omit<KnownFile, 'is_evidence' | 'arrived_ms'> {
  folder: number
  content: number | undefined
  settled_ms: number | undefined
  /**
   * The highest id of a content when the file was left out with its present stat: no later content
   * can have moved here. Undefined if it is not left out, or if this is not known.
   */
  left_out_after: number | undefined
  /**
   * Unix ms since when the assistant has `content` under this path. It stays while the file is
   * checked again or gone, in case it still has these bytes. Undefined if it was never in.
   */
  ready_ms: number | undefined
  /**
   * Unix ms when the file went. In a row that is not `gone`: the file had been gone, or was under
   * another root, and its bytes are not known yet. Undefined otherwise.
   */
  gone_ms: number | undefined
  /** Unix ms of the last upload of this path, where `min_resend_s` begins. Undefined before. */
  sent_ms: number | undefined
  /** Unix ms since when the bytes were there, if before the folder's setup (schema-files.ts). */
  there_ms: number | undefined
}

/**
 * The content that a path holds. While its bytes are not known, the one that it held last; none if
 * the file was gone or under another root.
 */
export function heldBy(row: FileRow | undefined): number | undefined {
  return row?.state === 'gone' || row?.gone_ms !== undefined ? undefined : row?.content
}

/**
 * SQL for `isEvidence`. The files without a row, or with a `gone` one, are left out by the query.
 */
export const is_evidence = `(files.reason IS 'before_start' OR
  files.content IS NOT NULL AND files.gone_ms IS NULL AND files.state <> 'skipped')`

/**
 * True if the row shows a loss when its file is missing: its content is known, or the folder's
 * `start` left it out. Files that come and go before they settle, or that a rule skips, show none.
 */
export function isEvidence(row: FileRow | undefined): boolean {
  if (row === undefined || row.state === 'gone') return false
  return row.reason === 'before_start' || (row.state !== 'skipped' && heldBy(row) !== undefined)
}

/** SQL for `arrivedAt`. */
export const arrived_ms = 'iif(files.there_ms IS NULL, files.settled_ms, NULL)'

/** See KnownFile. */
export function arrivedAt({ there_ms, settled_ms }: FileRow): number | undefined {
  return there_ms === undefined ? settled_ms : undefined
}

/** SQL for `isSkipped`. */
export const is_skipped = `(files.state IS 'skipped' AND files.reason IS NOT 'before_start')`

/** True if a rule skips the file: it shows no loss, and no evidence has its place. */
export function isSkipped(row: FileRow | undefined): boolean {
  return row?.state === 'skipped' && row.reason !== 'before_start'
}

/** End of all paths: SQLite sorts every text before every blob. */
export const after_all_paths = Buffer.alloc(0)

/** The paths below a directory, without `last`: '0' follows '/'. Empty path: the whole folder. */
export function pathsBelow(path: string): { first: string; last: string | Buffer } {
  return path === ''
    ? { first: '', last: after_all_paths }
    : { first: `${path}/`, last: `${path}0` }
}

/** True if the setting `start` left out this file (inode, size, mtime), at any path of a folder. */
export function beforeStart(database: Sqlite, folder_sql: string) {
  // Without INDEXED BY, SQLite takes the primary key and reads the whole folder for every new file.
  const query = database.prepare(
    `SELECT 1 FROM files INDEXED BY files_before_start
       WHERE folder = ${folder_sql} AND inode = @inode AND reason = 'before_start' AND size = @size AND mtime_ns = @mtime_ns LIMIT 1`,
  )
  return (folder: number | string, { inode, size, mtime_ns }: FileStat) =>
    query.get({ folder, inode: BigInt.asIntN(64, inode), size, mtime_ns }) !== undefined
}

/** A row as SQLite returns it, with safe integers. */
export type RawFile = Record<string, bigint | string | null>

/**
 * Reads and writes rows of `files`. Only this module writes the state and stat of a row, because
 * each such write must drop the known range of its path (`touch`).
 */
export function createFileRows(database: Sqlite, touch: (folder: number, path: string) => void) {
  const get_sql = database
    .prepare('SELECT * FROM files WHERE folder = ? AND path = ?')
    .safeIntegers(true)
  const between_sql = database
    .prepare('SELECT * FROM files WHERE folder = ? AND path BETWEEN ? AND ?')
    .safeIntegers(true)
  const put_sql = database.prepare(
    `INSERT OR REPLACE INTO files (folder, path, state, size, mtime_ns, ctime_ns, inode, content, reason, detail, not_before_ms,
         seen_ms, settled_ms, ready_ms, gone_ms, sent_ms, accepted, there_ms, left_out_after, since_ms)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
  )
  const delete_sql = database.prepare('DELETE FROM files WHERE folder = ? AND path = ?')
  const there = database.prepare(`SELECT ${oldestThere('@content', '@folder')}`).pluck()

  function get(folder: number, path: string): FileRow | undefined {
    const raw = get_sql.get(folder, path) as RawFile | undefined
    return raw && fileRow(raw)
  }

  /** Returns undefined for every path if the folder is not known. */
  function knownAt(
    folder: number | undefined,
    paths: readonly string[],
  ): (KnownFile | undefined)[] {
    return paths.map((path) => {
      const row = folder === undefined ? undefined : get(folder, path)
      return row && knownFile(row)
    })
  }

  /** The rows from one path to another, both inclusive, by path. */
  function between(folder: number, from_path: string, through_path: string): Map<string, FileRow> {
    const rows = (between_sql.all(folder, from_path, through_path) as RawFile[]).map(fileRow)
    return new Map(rows.map((row) => [row.path, row]))
  }

  function put(row: FileRow): void {
    touch(row.folder, row.path)
    put_sql.run(
      row.folder,
      row.path,
      row.state,
      row.stat.size,
      row.stat.mtime_ns,
      row.stat.ctime_ns,
      BigInt.asIntN(64, row.stat.inode),
      row.content,
      row.reason,
      row.detail,
      row.not_before_ms,
      row.seen_ms,
      row.settled_ms,
      row.ready_ms,
      row.gone_ms,
      row.sent_ms,
      row.accepted ? 1 : 0,
      row.there_ms,
      row.left_out_after,
      row.since_ms,
    )
  }

  function deleteRow(folder: number, path: string): void {
    touch(folder, path)
    delete_sql.run(folder, path)
  }

  /** The oldest `there_ms` of the paths in the folder that hold these bytes, or held them last. */
  function thereWith(folder: number, content: number): number | undefined {
    return (there.get({ content, folder }) as number | null) ?? undefined
  }

  return {
    get,
    knownAt,
    between,
    put,
    delete: deleteRow,
    thereWith,
    wasBeforeStart: beforeStart(database, '@folder'),
  }
}

export type FileRows = ReturnType<typeof createFileRows>

export function fileRow(raw: RawFile): FileRow {
  const time = (value: bigint | string | null | undefined) =>
    value === null || value === undefined ? undefined : Number(value)
  return {
    folder: Number(raw.folder),
    path: raw.path as string,
    state: raw.state as FileState,
    stat: fileStat(raw),
    content: time(raw.content),
    reason: (raw.reason as string | null) ?? undefined,
    detail: (raw.detail as string | null) ?? undefined,
    not_before_ms: time(raw.not_before_ms),
    seen_ms: Number(raw.seen_ms),
    since_ms: time(raw.since_ms),
    settled_ms: time(raw.settled_ms),
    left_out_after: time(raw.left_out_after),
    ready_ms: time(raw.ready_ms),
    gone_ms: time(raw.gone_ms),
    sent_ms: time(raw.sent_ms),
    accepted: raw.accepted === 1n,
    there_ms: time(raw.there_ms),
  }
}

/** Inodes above 2^63 are negative numbers here, as in Node's stat arrays, which are of int64. */
export function fileStat(raw: { readonly [Part in keyof FileStat]?: unknown }): FileStat {
  return {
    size: Number(raw.size),
    mtime_ns: raw.mtime_ns as bigint,
    ctime_ns: raw.ctime_ns as bigint,
    inode: raw.inode as bigint,
  }
}

function knownFile(row: FileRow): KnownFile {
  const { path, state, stat, seen_ms, since_ms, not_before_ms, reason, detail, accepted } = row
  const is_evidence = isEvidence(row)
  return {
    path,
    state,
    stat,
    seen_ms,
    since_ms,
    arrived_ms: arrivedAt(row),
    not_before_ms,
    reason,
    detail,
    accepted,
    is_evidence,
  }
}
