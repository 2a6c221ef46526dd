import type { Sqlite } from '../../base/files/sqlite.ts'
import { control_characters, hasCharacters } from '../../base/text/format.ts'
import type { Clock } from '../../base/time/time.ts'
import { max_label_name_length, min_label_name_length } from '../../contract/limits.ts'
import { refused } from '../faults/faults.ts'
import { checkName, listRows, projectWith, unknownThing } from './administration.ts'
import { makeId, statementsOf } from './database.ts'
import { is_in } from './store-assets.ts'
import { openLabelStore } from './store-resources.ts'

interface ConceptRow {
  concept_id: string
  project_id: string
  name: string
  /** The number of its assets. */
  assets: number
  labels: string[]
  created_at: string
}

interface ViewRow {
  view_id: string
  project_id: string
  name: string
  labels: string[]
  name_pattern?: string
  created_at: string
}

interface Filter {
  /** A JSON list of names; null: no filter by labels. */
  label_names: string | null
  name_pattern: string | null
}

interface ConceptFields {
  asset_ids?: readonly string[] | undefined
  labels?: readonly string[] | undefined
}

interface ViewFields {
  labels?: readonly string[] | undefined
  name_pattern?: string | undefined
}

interface Place {
  seq: number
  project: number
  project_id: string
  name: string
}

/**
 * A concept has assets and labels. Labels that do not exist yet are made. A new list of assets or
 * of labels replaces the earlier list.
 */
export function openConcepts(database: Sqlite, clock: Clock) {
  const labels = openLabelStore(database)
  const { value, run } = statementsOf(database)

  function setAssets({ seq, project, project_id }: Place, asset_ids: readonly string[]): void {
    if (asset_ids.length === 0)
      throw refused('a concept needs at least one asset', 'name them with --assets')
    run('DELETE FROM concept_assets WHERE concept = ?', seq)
    for (const asset_id of asset_ids) {
      const asset = value(
        'SELECT seq FROM assets WHERE asset_id = ? AND project = ?',
        asset_id,
        project,
      )
      if (asset === undefined)
        throw refused(
          `the project ${project_id} has no asset ${asset_id}`,
          'check the id of the asset',
        )
      run('INSERT OR IGNORE INTO concept_assets (concept, asset) VALUES (?, ?)', seq, asset)
    }
  }

  function setLabels({ seq, project }: Place, names: readonly string[]): void {
    run('DELETE FROM concept_labels WHERE concept = ?', seq)
    for (const name of names) {
      if (!labels.named(project, name))
        labels.insert(project, makeId('label', clock.now_ms()), { name })
      const label = labels.named(project, name)!.seq
      run('INSERT OR IGNORE INTO concept_labels (concept, label) VALUES (?, ?)', seq, label)
    }
  }

  return {
    ...openSets(
      database,
      clock,
      'concept',
      (place, { asset_ids, labels: names }: ConceptFields, is_new) => {
        if (asset_ids || is_new) setAssets(place, asset_ids ?? [])
        if (names) setLabels(place, names)
      },
    ),
    list: () =>
      listRows<ConceptRow>(
        database,
        `SELECT concept_id, project_id, concepts.name,
           (SELECT count(*) FROM concept_assets WHERE concept = concepts.seq) AS assets,
           (SELECT json_group_array(labels.name) FROM concept_labels JOIN labels ON labels.seq = label
            WHERE concept = concepts.seq) AS labels, concepts.created_at_ms
         FROM concepts JOIN projects ON projects.seq = project ORDER BY concepts.seq`,
        ['labels'],
      ),
  }
}

/**
 * A view shows the assets that have any of its labels and a matching file name, or one of the two
 * if it has only that filter. An empty list of labels, or an empty pattern, removes that filter.
 */
export function openViews(database: Sqlite, clock: Clock) {
  const { one, run } = statementsOf(database)
  return {
    ...openSets(database, clock, 'view', ({ seq }, { labels, name_pattern }: ViewFields) => {
      const before = one<Filter>('SELECT label_names, name_pattern FROM views WHERE seq = ?', seq)!
      const names = labels ? JSON.stringify(labels) : before.label_names
      const kept = [names === '[]' ? null : names, (name_pattern ?? before.name_pattern) || null]
      if (kept.every((filter) => filter === null)) {
        throw refused(
          'a view needs a filter: without one it would show the whole project',
          'use --labels, --name-pattern or both',
        )
      }
      run('UPDATE views SET label_names = ?, name_pattern = ? WHERE seq = ?', ...kept, seq)
    }),
    list: () =>
      listRows<ViewRow>(
        database,
        `SELECT view_id, project_id, views.name, coalesce(label_names, '[]') AS labels, name_pattern, views.created_at_ms
         FROM views JOIN projects ON projects.seq = project ORDER BY views.seq`,
        ['labels'],
      ),
  }
}

/**
 * The commands for concepts or for views. `/v1` has no paths for them, only their ids in a scope
 * (D-10). `write` stores their fields. Error `config.service` for a name in use, an unknown
 * project, asset or id, a concept without assets, or a view without a filter.
 */
function openSets<
  Kind extends 'concept' | 'view',
  Fields extends { labels?: readonly string[] | undefined },
>(
  database: Sqlite,
  clock: Clock,
  kind: Kind,
  write: (place: Place, fields: Fields, is_new: boolean) => void,
) {
  const table = `${kind}s`
  const { one, value, run } = statementsOf(database)

  function refuseTaken(project: number, name: string): void {
    if (!value(`SELECT 1 FROM ${table} WHERE project = ? AND name = ?`, project, name)) return
    throw refused(`the name "${name}" is taken in this project`, 'choose another name')
  }

  return {
    create: database.transaction((name: string, fields: Fields & { project_id: string }) => {
      checkName(kind, name)
      checkLabels(fields.labels)
      const { seq: project, project_id } = projectWith(database, fields.project_id)
      refuseTaken(project, name)
      const now_ms = clock.now_ms()
      const id = makeId(kind, now_ms)
      const { lastInsertRowid } = run(
        `INSERT INTO ${table} (${kind}_id, project, name, created_at_ms) VALUES (@id, @project, @name, @now_ms)`,
        { id, project, name, now_ms },
      )
      write({ seq: Number(lastInsertRowid), project, project_id, name }, fields, true)
      return { [`${kind}_id`]: id } as Record<`${Kind}_id`, string>
    }).immediate,
    /** Absent fields stay as they are. */
    change: database.transaction((id: string, to: Fields & { name?: string | undefined }) => {
      if (to.name !== undefined) checkName(kind, to.name)
      checkLabels(to.labels)
      const place = one<Place>(
        `SELECT ${table}.seq, project, project_id, ${table}.name FROM ${table} JOIN projects ON projects.seq = project
         WHERE ${kind}_id = ?`,
        id,
      )
      if (!place) throw unknownThing(kind, id)
      if (to.name !== undefined && to.name !== place.name) {
        refuseTaken(place.project, to.name)
        run(`UPDATE ${table} SET name = ? WHERE seq = ?`, to.name, place.seq)
      }
      write(place, to, false)
    }).immediate,
    remove(id: string): void {
      if (run(`DELETE FROM ${table} WHERE ${kind}_id = ?`, id).changes === 0)
        throw unknownThing(kind, id)
    },
  }
}

function checkLabels(names: readonly string[] = []): void {
  for (const name of names) {
    const fits = hasCharacters(name, min_label_name_length, max_label_name_length)
    if (fits && !control_characters.test(name)) continue
    throw refused(
      `"${name}" cannot be the name of a label`,
      `use ${min_label_name_length} to ${max_label_name_length} characters in one line`,
    )
  }
}

/** Finds the concepts and views in the scope of a turn, and their assets. */
export function openConceptStore(database: Sqlite) {
  const { one, value, values } = statementsOf(database)

  return {
    find: (project: number, concept_id: string) =>
      value<number>(
        'SELECT seq FROM concepts WHERE concept_id = ? AND project = ?',
        concept_id,
        project,
      ),
    /** The assets of a concept that answers use. */
    assetsOf: (concept: number) =>
      values<number>(
        `SELECT asset FROM concept_assets JOIN assets ON assets.seq = asset WHERE concept = ? AND ${is_in}`,
        concept,
      ),
    labelled: (label: number) =>
      values<number>('SELECT concept FROM concept_labels WHERE label = ?', label),
    findView: (project: number, view_id: string) =>
      one<Filter>(
        'SELECT label_names, name_pattern FROM views WHERE view_id = ? AND project = ?',
        view_id,
        project,
      ),
    /** The assets that a view shows now, and that answers use. */
    shownIn: (project: number, { label_names, name_pattern }: Filter) =>
      values<number>(
        `SELECT seq FROM assets WHERE project = @project AND ${is_in}
           AND (@name_pattern IS NULL OR coalesce(name, filename) GLOB @name_pattern)
           AND (@label_names IS NULL OR EXISTS (
             SELECT 1 FROM asset_labels JOIN labels ON labels.seq = label
             WHERE asset = assets.seq AND labels.name IN (SELECT value FROM json_each(@label_names))))`,
        { project, label_names, name_pattern },
      ),
  }
}
