import type { Sqlite } from '../base/sqlite.ts'
import type { AssetStatus } from '../contract/messages-assets.ts'
import type { LabelReference } from '../contract/messages-labels.ts'
import type { Listing } from './paging.ts'
import { seqListing } from './seq-listing.ts'

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
  /** Of the accepted object, and null until then. */
  md5: string | null
  size_in_bytes: number
  created_at_ms: number
  expires_at_ms: number
}

export interface ListedAsset extends AssetRow {
  /** JSON of LabelReference[]. */
  labels: string
}

interface NewAsset {
  asset_id: string
  project: number
  filename: string
  mime_type: string
  declared_md5: string | null
  created_at_ms: number
  expires_at_ms: number
}

export interface AssetStore {
  insert(asset: NewAsset): void
  /** By id, within one project: an asset of another one does not exist here. */
  find(project: number, asset_id: string): AssetRow | undefined
  /** By id alone, for the blob store, whose requests name no project. */
  findAnywhere(asset_id: string): AssetRow | undefined
  bySeq(seq: number): AssetRow | undefined
  /** The asset that holds this content: accepted at complete and not failed; a ready one before one on its way (B-04 to B-06). */
  findContent(project: number, md5: string): AssetRow | undefined
  /** A slot for which this md5 was declared; its bytes may never come. */
  findReservation(project: number, md5: string): AssetRow | undefined
  accept(seq: number, object: { md5: string; size_in_bytes: number }, ingest_due_ms: number): void
  dueForIngest(now_ms: number, limit: number): AssetRow[]
  nextIngestDue(): number | undefined
  /** Leaves it to a child process; from then on it is among `dueForChild`. */
  passToChild(seq: number): void
  dueForChild(now_ms: number, limit: number): AssetRow[]
  finishIngest(seq: number, status: 'ready' | 'failed'): void
  anyReady(): boolean
  describe(seq: number, change: { name?: string | undefined; description?: string | undefined }): void
  /** Erases the asset; its place in the list and the work of forgetting its passages are noted. */
  remove(asset: AssetRow): void
  /** Slots whose ticket expired before `bare_ms` without bytes, or before `unused_ms` with bytes that nobody completed. */
  expired(bare_ms: number, unused_ms: number, limit: number): AssetRow[]
  listing(project: number, newest_first: boolean): Listing<ListedAsset, number>
  inProject(project: number): (AssetRow & { has_object: 0 | 1 })[]
}

const labels_of = `(SELECT json_group_array(json_object('label_id', label_id, 'name', labels.name) ORDER BY labels.name)
  FROM asset_labels JOIN labels ON labels.seq = label WHERE asset = assets.seq) AS labels`

export function openAssetStore(database: Sqlite): AssetStore {
  const sql = {
    insert: database.prepare(
      `INSERT INTO assets (asset_id, project, filename, mime_type, status, declared_md5, created_at_ms, expires_at_ms)
       VALUES (?, ?, ?, ?, 'uploaded', ?, ?, ?)`,
    ),
    find: database.prepare('SELECT * FROM assets WHERE asset_id = ?'),
    by_seq: database.prepare('SELECT * FROM assets WHERE seq = ?'),
    content: database.prepare(
      `SELECT * FROM assets WHERE project = ? AND md5 = ? AND status IN ('ingesting', 'ready')
       ORDER BY status = 'ready' DESC, seq LIMIT 1`,
    ),
    reservation: database.prepare(
      `SELECT * FROM assets WHERE project = ? AND declared_md5 = ? AND status = 'uploaded' ORDER BY seq LIMIT 1`,
    ),
    accept: database.prepare(
      `UPDATE assets SET md5 = ?, size_in_bytes = ?, status = 'ingesting', ingest_due_ms = ? WHERE seq = ?`,
    ),
    due: database.prepare(
      `SELECT * FROM assets WHERE status = 'ingesting' AND needs_child = 0 AND ingest_due_ms <= ?
       ORDER BY ingest_due_ms LIMIT ?`,
    ),
    pass_to_child: database.prepare(`UPDATE assets SET needs_child = 1 WHERE seq = ? AND status = 'ingesting'`),
    due_for_child: database.prepare(
      `SELECT * FROM assets WHERE status = 'ingesting' AND needs_child = 1 AND ingest_due_ms <= ?
       ORDER BY ingest_due_ms LIMIT ?`,
    ),
    next_due: database.prepare(
      `SELECT ingest_due_ms AS due FROM assets WHERE status = 'ingesting' AND needs_child = 0
       ORDER BY ingest_due_ms LIMIT 1`,
    ),
    finish: database.prepare(
      `UPDATE assets SET status = ?, ingest_due_ms = NULL WHERE seq = ? AND status = 'ingesting'`,
    ),
    describe: database.prepare(
      'UPDATE assets SET name = coalesce(?, name), description = coalesce(?, description) WHERE seq = ?',
    ),
    note_place: database.prepare('INSERT INTO removed (id, project, position) VALUES (?, ?, ?)'),
    forget: database.prepare('INSERT OR IGNORE INTO assets_to_forget (asset) VALUES (?)'),
    remove: database.prepare('DELETE FROM assets WHERE seq = ?'),
    expired: database.prepare(
      `SELECT * FROM assets WHERE status = 'uploaded' AND expires_at_ms < ?
         AND (expires_at_ms < ? OR NOT EXISTS (SELECT 1 FROM objects WHERE asset = assets.seq)) LIMIT ?`,
    ),
    any_ready: database.prepare(`SELECT 1 FROM assets WHERE status = 'ready' LIMIT 1`),
    in_project: database.prepare(
      `SELECT *, EXISTS (SELECT 1 FROM objects WHERE asset = assets.seq) AS has_object
       FROM assets WHERE project = ? ORDER BY seq`,
    ),
  }
  const listing = seqListing<ListedAsset>(database, {
    columns: `assets.*, ${labels_of}`,
    table: 'assets',
    id_column: 'asset_id',
  })
  const findAnywhere = (asset_id: string) => sql.find.get(asset_id) as AssetRow | undefined

  return {
    insert: (asset) =>
      void sql.insert.run(
        asset.asset_id,
        asset.project,
        asset.filename,
        asset.mime_type,
        asset.declared_md5,
        asset.created_at_ms,
        asset.expires_at_ms,
      ),
    find(project, asset_id) {
      const row = findAnywhere(asset_id)
      return row?.project === project ? row : undefined
    },
    findAnywhere,
    bySeq: (seq) => sql.by_seq.get(seq) as AssetRow | undefined,
    findContent: (project, md5) => sql.content.get(project, md5) as AssetRow | undefined,
    findReservation: (project, md5) => sql.reservation.get(project, md5) as AssetRow | undefined,
    accept: (seq, { md5, size_in_bytes }, ingest_due_ms) => void sql.accept.run(md5, size_in_bytes, ingest_due_ms, seq),
    dueForIngest: (now_ms, limit) => sql.due.all(now_ms, limit) as AssetRow[],
    nextIngestDue: () => (sql.next_due.get() as { due: number } | undefined)?.due,
    passToChild: (seq) => void sql.pass_to_child.run(seq),
    dueForChild: (now_ms, limit) => sql.due_for_child.all(now_ms, limit) as AssetRow[],
    finishIngest: (seq, status) => void sql.finish.run(status, seq),
    anyReady: () => sql.any_ready.get() !== undefined,
    describe: (seq, { name, description }) => void sql.describe.run(name ?? null, description ?? null, seq),
    remove(asset) {
      sql.note_place.run(asset.asset_id, asset.project, asset.seq)
      if (asset.status === 'ingesting' || asset.status === 'ready') sql.forget.run(asset.seq)
      sql.remove.run(asset.seq)
    },
    expired: (bare_ms, unused_ms, limit) => sql.expired.all(bare_ms, unused_ms, limit) as AssetRow[],
    listing,
    inProject: (project) => sql.in_project.all(project) as (AssetRow & { has_object: 0 | 1 })[],
  }
}

export function labelsOf(row: ListedAsset): LabelReference[] {
  return JSON.parse(row.labels) as LabelReference[]
}
