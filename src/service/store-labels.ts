import type { Sqlite } from '../base/sqlite.ts'
import { statementsOf } from './database.ts'
import { type Listing, removeListed, sqlListing } from './paging.ts'

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

export function openLabelStore(database: Sqlite) {
  const { one, values, run } = statementsOf(database)

  return {
    find: (project: number, label_id: string) =>
      one<LabelRow>('SELECT * FROM labels WHERE label_id = ? AND project = ?', label_id, project),
    named: (project: number, name: string) =>
      one<LabelRow>('SELECT * FROM labels WHERE project = ? AND name = ?', project, name),
    insert: (project: number, label_id: string, { name, color, icon }: LabelFields & { name: string }) =>
      run(
        `INSERT INTO labels (label_id, project, name, color, icon)
         VALUES (@label_id, @project, @name, @color, @icon)`,
        { label_id, project, name, color, icon },
      ),
    update: (seq: number, { name, color, icon }: LabelFields) =>
      run(
        `UPDATE labels SET name = coalesce(@name, name), color = coalesce(@color, color), icon = coalesce(@icon, icon)
         WHERE seq = @seq`,
        { name, color, icon, seq },
      ),
    /** Detaches it everywhere, too. */
    remove: (label: LabelRow) =>
      removeListed(database, 'labels', { ...label, id: label.label_id, position: label.name }),
    attach: (asset: number, label: number) =>
      run('INSERT OR IGNORE INTO asset_labels (asset, label) VALUES (?, ?)', asset, label),
    detach: (asset: number, label: number) =>
      run('DELETE FROM asset_labels WHERE asset = ? AND label = ?', asset, label),
    /** The ready assets that carry the label. */
    assetsWith: (label: number) =>
      values<number>(
        `SELECT asset FROM asset_labels JOIN assets ON assets.seq = asset WHERE label = ? AND status = 'ready'`,
        label,
      ),
    namesOn: (asset: number) =>
      values<string>(
        'SELECT name FROM asset_labels JOIN labels ON labels.seq = label WHERE asset = ? ORDER BY name',
        asset,
      ),
    /** By name. */
    listing(project: number): Listing<LabelRow, string> {
      const table = { from: 'labels', where: 'project = @project', by: 'name', id: 'label_id', newest_first: false }
      return sqlListing(database, table, { project })
    },
  }
}
