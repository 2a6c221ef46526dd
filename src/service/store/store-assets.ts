import type { Sqlite } from '../../base/files/sqlite.ts'
import type {
  AssetReading,
  AssetStatus,
  LabelReference,
} from '../../contract/messages/messages-assets.ts'
import { statementsOf } from './database.ts'
import { type Listing, removeListed, sqlListing } from './paging.ts'
import { reader_version } from './reader-version.ts'

export interface AssetRow {
  seq: number
  asset_id: string
  project: number
  filename: string
  mime_type: string
  name: string | null
  description: string | null
  status: AssetStatus
  declared_md5: string | null
  /** MD5 of the stored bytes; null until `complete` has accepted them. */
  md5: string | null
  size_in_bytes: number
  created_at_ms: number
  expires_at_ms: number
  /** Why a failed asset cannot be read, as a clause; null for others. */
  failure: string | null
  /** 1 if a failed asset was read and has no word of its own. */
  has_no_text: 0 | 1
  /** 1 if a failed asset is in a form for programs under the name of another kind. */
  is_wire_form: 0 | 1
  /** 1 if a failed asset needs a program that this machine does not have. */
  needs_program: 0 | 1
  /** JSON of AssetReading, of a ready asset. */
  reading: string | null
  /** 1 if only a child process can read it. */
  needs_child: 0 | 1
}

/** Condition in SQL for assets that answers use. A ready one that proved empty is not in. */
export const is_in = `status = 'ready' AND coalesce(reading ->> 'seen', 1) > 0`

/** `is_in` for a row. */
export function isIn({ status, reading }: Pick<AssetRow, 'status' | 'reading'>): boolean {
  if (status !== 'ready') return false
  return reading === null || (JSON.parse(reading) as AssetReading).seen > 0
}

/** What a reader found: either how much was read, or why nothing can be. */
export interface IngestResult {
  reading?: AssetReading
  unreadable?: string
  has_no_text?: true
  is_wire_form?: true
  needs_program?: true
}

export interface ListedAsset extends AssetRow {
  /** JSON of LabelReference[]. */
  labels: string
}

type NewAsset = Omit<
  AssetRow,
  | 'seq'
  | 'name'
  | 'description'
  | 'status'
  | 'md5'
  | 'size_in_bytes'
  | 'failure'
  | 'has_no_text'
  | 'is_wire_form'
  | 'needs_program'
  | 'reading'
  | 'needs_child'
>

export type AssetStore = ReturnType<typeof openAssetStore>

const labels_of = `(SELECT json_group_array(json_object('label_id', label_id, 'name', labels.name) ORDER BY labels.name)
  FROM asset_labels JOIN labels ON labels.seq = label WHERE asset = assets.seq) AS labels`

/** Numbers of whole projects and of assets. */
export interface AssetScope {
  projects: readonly number[]
  assets: readonly number[]
}

/** Times in Unix ms; the last one belongs to it. */
interface Period {
  from_ms: number
  to_ms: number
}

const always: Period = { from_ms: 0, to_ms: Number.MAX_SAFE_INTEGER }

const of_projects = 'project IN (SELECT value FROM json_each(?))'
const of_scope = `(${of_projects} OR seq IN (SELECT value FROM json_each(?)))`

/** SQL for a scope, with its values. Without single assets an index alone has the answer. */
function inScope({ projects, assets }: AssetScope): { in_scope: string; values: string[] } {
  return assets.length === 0
    ? { in_scope: of_projects, values: [JSON.stringify(projects)] }
    : { in_scope: of_scope, values: [JSON.stringify(projects), JSON.stringify(assets)] }
}

export function openAssetStore(database: Sqlite) {
  const { one, all, value, values, run } = statementsOf(database)
  /** Finds an asset by its id alone, such as for the blob store: its requests name no project. */
  const findAnywhere = (asset_id: string) =>
    one<AssetRow>('SELECT * FROM assets WHERE asset_id = ?', asset_id)

  return {
    insert: (asset: NewAsset) =>
      run(
        `INSERT INTO assets (asset_id, project, filename, mime_type, status, declared_md5, created_at_ms, expires_at_ms)
         VALUES (@asset_id, @project, @filename, @mime_type, 'uploaded', @declared_md5, @created_at_ms, @expires_at_ms)`,
        asset,
      ),
    find(project: number, asset_id: string) {
      const row = findAnywhere(asset_id)
      return row?.project === project ? row : undefined
    },
    findAnywhere,
    bySeq: (seq: number) => one<AssetRow>('SELECT * FROM assets WHERE seq = ?', seq),
    /**
     * The asset with this content: accepted at complete and not failed. A ready one comes before
     * one in progress (B-04 to B-06). One that proved empty does not match (B-38).
     */
    findContent: (project: number, md5: string) =>
      one<AssetRow>(
        `SELECT * FROM assets WHERE project = ? AND md5 = ? AND (status = 'ingesting' OR (${is_in}))
         ORDER BY status = 'ready' DESC, seq LIMIT 1`,
        project,
        md5,
      ),
    /** The oldest slot with this declared md5 that was not completed. Its bytes may never come. */
    findReservation: (project: number, md5: string) =>
      one<AssetRow>(
        `SELECT * FROM assets WHERE project = ? AND declared_md5 = ? AND status = 'uploaded' ORDER BY seq LIMIT 1`,
        project,
        md5,
      ),
    accept: (seq: number, object: { md5: string; size_in_bytes: number }, ingest_due_ms: number) =>
      run(
        `UPDATE assets SET md5 = @md5, size_in_bytes = @size_in_bytes, status = 'ingesting', ingest_due_ms = @ingest_due_ms
         WHERE seq = @seq`,
        { ...object, ingest_due_ms, seq },
      ),
    /** Assets to read now, by the reading thread or by a child process. */
    dueForIngest: (now_ms: number, limit: number, by: 'thread' | 'child') =>
      all<AssetRow>(
        `SELECT * FROM assets WHERE status = 'ingesting' AND needs_child = ? AND ingest_due_ms <= ?
         ORDER BY ingest_due_ms LIMIT ?`,
        by === 'child' ? 1 : 0,
        now_ms,
        limit,
      ),
    nextIngestDue: () =>
      value<number>(
        `SELECT ingest_due_ms FROM assets WHERE status = 'ingesting' AND needs_child = 0 ORDER BY ingest_due_ms LIMIT 1`,
      ),
    passToChild: (seq: number) =>
      run(`UPDATE assets SET needs_child = 1 WHERE seq = ? AND status = 'ingesting'`, seq),
    finishIngest: (seq: number, { unreadable, reading, ...found }: IngestResult) =>
      run(
        `UPDATE assets SET status = @status, failure = @failure, has_no_text = @has_no_text, is_wire_form = @is_wire_form,
           needs_program = @needs_program, reading = @reading, read_by = @reader_version, ingest_due_ms = NULL
         WHERE seq = @seq AND status = 'ingesting'`,
        {
          seq,
          reader_version,
          status: unreadable === undefined ? 'ready' : 'failed',
          failure: unreadable ?? null,
          has_no_text: found.has_no_text ? 1 : 0,
          is_wire_form: found.is_wire_form ? 1 : 0,
          needs_program: found.needs_program ? 1 : 0,
          reading: reading === undefined ? null : JSON.stringify(reading),
        },
      ),
    /** Takes an asset without any text out of the readers' queue: programs read it page by page. */
    waitForPrograms: (seq: number) =>
      run(`UPDATE assets SET ingest_due_ms = NULL WHERE seq = ? AND status = 'ingesting'`, seq),
    /** One of those assets. */
    waitingForPrograms: () =>
      one<AssetRow>(
        `SELECT * FROM assets WHERE status = 'ingesting' AND needs_child = 1 AND ingest_due_ms IS NULL LIMIT 1`,
      ),
    /** Ready assets that an earlier reader read, in the order of their taking in. */
    readEarlier: (limit: number) =>
      all<AssetRow>(
        `SELECT * FROM assets WHERE status = 'ready' AND read_by < ? ORDER BY read_by, seq LIMIT ?`,
        reader_version,
        limit,
      ),
    countReadEarlier: () =>
      value<number>(
        `SELECT count(*) FROM assets WHERE status = 'ready' AND read_by < ?`,
        reader_version,
      )!,
    /** Records a further reading of a ready asset. Without `reading`, the earlier one stays. */
    noteReading: (seq: number, reading: AssetReading | undefined) =>
      run(
        `UPDATE assets SET reading = coalesce(?, reading), read_by = ? WHERE seq = ? AND status = 'ready'`,
        reading && JSON.stringify(reading),
        reader_version,
        seq,
      ),
    /** How many files of a scope answers may use, of those that were made in a period. */
    countOf(scope: AssetScope, { from_ms, to_ms } = always) {
      const { in_scope, values } = inScope(scope)
      return value<number>(
        `SELECT count(*) FROM assets WHERE ${in_scope} AND ${is_in} AND created_at_ms BETWEEN ? AND ?`,
        ...values,
        from_ms,
        to_ms,
      )!
    },
    /** Those files, newest first. */
    newestOf(scope: AssetScope, limit: number, { from_ms, to_ms } = always) {
      const { in_scope, values } = inScope(scope)
      return all<AssetRow>(
        `SELECT * FROM assets WHERE ${in_scope} AND ${is_in} AND created_at_ms BETWEEN ? AND ?
         ORDER BY created_at_ms DESC, seq DESC LIMIT ?`,
        ...values,
        from_ms,
        to_ms,
        limit,
      )
    },
    /** Names of those files, as they were sent. */
    filenamesOf(scope: AssetScope) {
      const { in_scope, values: scoped } = inScope(scope)
      return values<string>(`SELECT filename FROM assets WHERE ${in_scope} AND ${is_in}`, ...scoped)
    },
    /** How many files of a scope cannot be read. */
    countFailed(scope: AssetScope) {
      const { in_scope, values } = inScope(scope)
      return value<number>(
        `SELECT count(*) FROM assets WHERE ${in_scope} AND status = 'failed'`,
        ...values,
      )!
    },
    anyReady: () =>
      one<AssetRow>(`SELECT * FROM assets WHERE status = 'ready' LIMIT 1`) !== undefined,
    describe: (
      seq: number,
      change: { name?: string | undefined; description?: string | undefined },
    ) =>
      run(
        'UPDATE assets SET name = coalesce(?, name), description = coalesce(?, description) WHERE seq = ?',
        change.name,
        change.description,
        seq,
      ),
    /** Also stores the number for the ingest worker, which deletes the passages. */
    remove(asset: AssetRow) {
      removeListed(database, 'assets', { ...asset, id: asset.asset_id })
      if (asset.status !== 'ingesting' && asset.status !== 'ready') return
      run('INSERT OR IGNORE INTO assets_to_forget (asset) VALUES (?)', asset.seq)
    },
    /** Removed assets whose passages may still be in the index. */
    toForget: (limit: number) =>
      values<number>('SELECT asset FROM assets_to_forget ORDER BY asset LIMIT ?', limit),
    forgotten(assets: readonly number[]) {
      for (const asset of assets) run('DELETE FROM assets_to_forget WHERE asset = ?', asset)
    },
    /** Slots whose URL expired: without bytes before `bare_ms`, with bytes before `unused_ms`. */
    expired: (bare_ms: number, unused_ms: number, limit: number) =>
      all<AssetRow>(
        `SELECT * FROM assets WHERE status = 'uploaded' AND expires_at_ms < ?
           AND (expires_at_ms < ? OR NOT EXISTS (SELECT 1 FROM objects WHERE asset = assets.seq)) LIMIT ?`,
        bare_ms,
        unused_ms,
        limit,
      ),
    listing(project: number, newest_first: boolean): Listing<ListedAsset, number> {
      const columns = `assets.*, ${labels_of}`
      const table = {
        columns,
        from: 'assets',
        where: 'project = @project',
        by: 'seq',
        id: 'asset_id',
        newest_first,
      }
      return sqlListing(database, table, { project })
    },
  }
}

export function labelsOf(row: ListedAsset): LabelReference[] {
  return JSON.parse(row.labels) as LabelReference[]
}
