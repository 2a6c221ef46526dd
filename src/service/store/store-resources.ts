import type { Sqlite } from '../../base/files/sqlite.ts'
import { statementsOf } from './database.ts'
import { type Listing, removeListed, sqlListing } from './paging.ts'
import { is_in } from './store-assets.ts'

export type ResourceKind = 'skill' | 'memory' | 'action' | 'session'

export interface ResourceRow {
  seq: number
  id: string
  kind: ResourceKind
  project: number
  /** The only user who can see it; null for everybody in the project. */
  owner: number | null
  unique_name: string | null
  enabled: 0 | 1
  /** JSON of the fields that the caller sent, without `enabled`. */
  fields: string
  created_at_ms: number
  modified_at_ms: number
}

/** A user sees the project's resources and own ones, a key without a user only the project's. */
export interface ResourceReach {
  kind: ResourceKind
  project: number
  user: number | null
}

const within_reach = 'kind = @kind AND project = @project AND (owner IS NULL OR owner = @user)'

export function openResourceStore(database: Sqlite) {
  const { one, all, run } = statementsOf(database)

  return {
    find: (reach: ResourceReach, id: string) =>
      one<ResourceRow>(`SELECT * FROM resources WHERE id = @id AND ${within_reach}`, {
        ...reach,
        id,
      }),
    /** The resource with this name. The user's own one comes before the project's. */
    named: (reach: ResourceReach, name: string) =>
      one<ResourceRow>(
        `SELECT * FROM resources WHERE unique_name = @name AND ${within_reach} ORDER BY owner IS NULL, seq LIMIT 1`,
        { ...reach, name },
      ),
    /** All enabled resources of this kind, newest first. */
    enabled: (reach: ResourceReach) =>
      all<ResourceRow>(
        `SELECT * FROM resources WHERE enabled = 1 AND ${within_reach} ORDER BY seq DESC`,
        reach,
      ),
    insert: (row: Omit<ResourceRow, 'seq' | 'modified_at_ms'>) =>
      run(
        `INSERT INTO resources (id, kind, project, owner, unique_name, enabled, fields, created_at_ms, modified_at_ms)
         VALUES (@id, @kind, @project, @owner, @unique_name, @enabled, @fields, @created_at_ms, @created_at_ms)`,
        row,
      ),
    update: (
      seq: number,
      change: Pick<ResourceRow, 'owner' | 'unique_name' | 'enabled' | 'fields' | 'modified_at_ms'>,
    ) =>
      run(
        `UPDATE resources SET owner = @owner, unique_name = @unique_name, enabled = @enabled, fields = @fields,
           modified_at_ms = @modified_at_ms WHERE seq = @seq`,
        { ...change, seq },
      ),
    remove: (row: ResourceRow) => removeListed(database, 'resources', row),
    /** Newest first. */
    listing(reach: ResourceReach): Listing<ResourceRow, number> {
      const table = {
        from: 'resources',
        where: within_reach,
        by: 'seq',
        id: 'id',
        newest_first: true,
      }
      return sqlListing(database, table, { ...reach })
    },
  }
}

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
    insert: (
      project: number,
      label_id: string,
      { name, color, icon }: LabelFields & { name: string },
    ) =>
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
    /** Also detaches the label from all assets and concepts. */
    remove: (label: LabelRow) =>
      removeListed(database, 'labels', { ...label, id: label.label_id, position: label.name }),
    attach: (asset: number, label: number) =>
      run('INSERT OR IGNORE INTO asset_labels (asset, label) VALUES (?, ?)', asset, label),
    detach: (asset: number, label: number) =>
      run('DELETE FROM asset_labels WHERE asset = ? AND label = ?', asset, label),
    /** The assets with this label that answers use. */
    assetsWith: (label: number) =>
      values<number>(
        `SELECT asset FROM asset_labels JOIN assets ON assets.seq = asset WHERE label = ? AND ${is_in}`,
        label,
      ),
    /** Ordered by name. */
    listing(project: number): Listing<LabelRow, string> {
      const table = {
        from: 'labels',
        where: 'project = @project',
        by: 'name',
        id: 'label_id',
        newest_first: false,
      }
      return sqlListing(database, table, { project })
    },
  }
}
