import type { Sqlite } from '../base/sqlite.ts'
import type { Listing } from './paging.ts'

export interface LabelRow {
  seq: number
  label_id: string
  project: number
  name: string
  color: string | null
  icon: string | null
}

export interface LabelFields {
  name?: string | undefined
  color?: string | undefined
  icon?: string | undefined
}

export interface LabelStore {
  find(project: number, label_id: string): LabelRow | undefined
  named(project: number, name: string): LabelRow | undefined
  insert(project: number, label_id: string, fields: LabelFields & { name: string }): void
  update(seq: number, fields: LabelFields): void
  /** Detaches it everywhere, too. */
  remove(label: LabelRow): void
  attach(asset: number, label: number): void
  detach(asset: number, label: number): void
  /** The ready assets that carry the label. */
  assetsWith(label: number): number[]
  namesOn(asset: number): string[]
  /** By name. */
  listing(project: number): Listing<LabelRow, string>
}

export function openLabelStore(database: Sqlite): LabelStore {
  const sql = {
    find: database.prepare('SELECT * FROM labels WHERE label_id = ? AND project = ?'),
    named: database.prepare('SELECT * FROM labels WHERE project = ? AND name = ?'),
    insert: database.prepare('INSERT INTO labels (label_id, project, name, color, icon) VALUES (?, ?, ?, ?, ?)'),
    update: database.prepare(
      'UPDATE labels SET name = coalesce(?, name), color = coalesce(?, color), icon = coalesce(?, icon) WHERE seq = ?',
    ),
    note_place: database.prepare('INSERT INTO removed (id, project, position) VALUES (?, ?, ?)'),
    remove: database.prepare('DELETE FROM labels WHERE seq = ?'),
    attach: database.prepare('INSERT OR IGNORE INTO asset_labels (asset, label) VALUES (?, ?)'),
    detach: database.prepare('DELETE FROM asset_labels WHERE asset = ? AND label = ?'),
    assets_with: database.prepare(
      `SELECT asset FROM asset_labels JOIN assets ON assets.seq = asset WHERE label = ? AND status = 'ready'`,
    ),
    names_on: database.prepare(
      'SELECT name FROM asset_labels JOIN labels ON labels.seq = label WHERE asset = ? ORDER BY name',
    ),
    place: database.prepare(
      `SELECT name AS position FROM labels WHERE label_id = ? AND project = ?
       UNION ALL SELECT position FROM removed WHERE id = ? AND project = ?`,
    ),
    onward: database.prepare('SELECT * FROM labels WHERE project = ? AND name > ? ORDER BY name LIMIT ?'),
    back: database.prepare('SELECT * FROM labels WHERE project = ? AND name < ? ORDER BY name DESC LIMIT ?'),
  }

  return {
    find: (project, label_id) => sql.find.get(label_id, project) as LabelRow | undefined,
    named: (project, name) => sql.named.get(project, name) as LabelRow | undefined,
    insert: (project, label_id, { name, color, icon }) =>
      void sql.insert.run(label_id, project, name, color ?? null, icon ?? null),
    update: (seq, { name, color, icon }) => void sql.update.run(name ?? null, color ?? null, icon ?? null, seq),
    remove(label) {
      sql.note_place.run(label.label_id, label.project, label.name)
      sql.remove.run(label.seq)
    },
    attach: (asset, label) => void sql.attach.run(asset, label),
    detach: (asset, label) => void sql.detach.run(asset, label),
    assetsWith: (label) => (sql.assets_with.all(label) as { asset: number }[]).map((row) => row.asset),
    namesOn: (asset) => (sql.names_on.all(asset) as { name: string }[]).map((row) => row.name),
    listing: (project) => ({
      positionOf: (id) => (sql.place.get(id, project, id, project) as { position: string } | undefined)?.position,
      // No name is empty, so that every name comes after ''.
      forward: (after, count) => sql.onward.all(project, after ?? '', count) as LabelRow[],
      backward: (before, count) => sql.back.all(project, before, count) as LabelRow[],
      idOf: (row) => row.label_id,
    }),
  }
}
