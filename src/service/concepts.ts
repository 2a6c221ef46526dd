import type { SluiceError } from '../base/errors.ts'
import { hasCharacters } from '../base/format.ts'
import type { Sqlite } from '../base/sqlite.ts'
import { type Clock, isoTime } from '../base/time.ts'
import { label_name_longest, label_name_shortest } from '../contract/limits.ts'
import { checkName, refused } from './administration.ts'
import { makeId } from './ids.ts'
import { openLabelStore } from './store-labels.ts'

interface ConceptRow {
  concept_id: string
  project_id: string
  name: string
  /** How many it has. */
  assets: number
  labels: string[]
  created_at: string
}

interface ViewListed {
  view_id: string
  project_id: string
  name: string
  labels: string[]
  name_pattern?: string
  created_at: string
}

/** Concepts and views have no paths, only ids in a scope (D-10): they are made on this machine. */
export interface Concepts {
  /** Labels are made when new. Error `config.service` for a name in use, an unknown project or asset, a set without anything. */
  create(
    name: string,
    of: { project_id: string; asset_ids?: readonly string[]; labels?: readonly string[] },
  ): { concept_id: string }
  /** What is not named stays; assets and labels take the place of those before. Error `config.service` likewise. */
  change(
    concept_id: string,
    to: {
      name?: string | undefined
      asset_ids?: readonly string[] | undefined
      labels?: readonly string[] | undefined
    },
  ): void
  /** Error `config.service` where there is none. */
  remove(concept_id: string): void
  list(): ConceptRow[]
}

export interface Views {
  /** Assets with any of these labels and a file name like the pattern. Error `config.service` likewise, and without a filter. */
  create(
    name: string,
    of: { project_id: string; labels?: readonly string[]; name_pattern?: string | undefined },
  ): { view_id: string }
  /** What is not named stays; no labels and an empty pattern take that filter away. Error `config.service` likewise. */
  change(
    view_id: string,
    to: { name?: string | undefined; labels?: readonly string[] | undefined; name_pattern?: string | undefined },
  ): void
  /** Error `config.service` where there is none. */
  remove(view_id: string): void
  list(): ViewListed[]
}

type Place = { seq: number; project: number; project_id: string; name: string }

export function openConcepts(database: Sqlite, clock: Clock): Concepts {
  const labels = openLabelStore(database)
  const insert = database.prepare('INSERT INTO concepts (concept_id, project, name, created_at_ms) VALUES (?, ?, ?, ?)')
  const add_asset = database.prepare('INSERT OR IGNORE INTO concept_assets (concept, asset) VALUES (?, ?)')
  const add_label = database.prepare('INSERT OR IGNORE INTO concept_labels (concept, label) VALUES (?, ?)')
  const drop_assets = database.prepare('DELETE FROM concept_assets WHERE concept = ?')
  const drop_labels = database.prepare('DELETE FROM concept_labels WHERE concept = ?')
  const rename = database.prepare('UPDATE concepts SET name = ? WHERE seq = ?')
  const remove = database.prepare('DELETE FROM concepts WHERE concept_id = ?')
  const find_asset = database.prepare('SELECT seq FROM assets WHERE asset_id = ? AND project = ?').pluck()

  function setAssets({ seq, project, project_id }: Place, asset_ids: readonly string[]): void {
    if (asset_ids.length === 0) throw refused('a concept has assets', 'name them with --assets')
    drop_assets.run(seq)
    for (const asset_id of asset_ids) {
      const asset = find_asset.get(asset_id, project)
      if (asset === undefined) throw refused(`there is no asset ${asset_id} in ${project_id}`, 'check its id')
      add_asset.run(seq, asset)
    }
  }

  function setLabels({ seq, project }: Place, names: readonly string[]): void {
    drop_labels.run(seq)
    for (const name of names) {
      if (!labels.named(project, name)) labels.insert(project, makeId('label', clock.now_ms()), { name })
      add_label.run(seq, labels.named(project, name)!.seq)
    }
  }

  const create = database.transaction((name: string, of: Parameters<Concepts['create']>[1]) => {
    const now_ms = clock.now_ms()
    const { project_id } = of
    const project = projectWith(database, project_id)
    refuseTaken(database, 'concepts', project, name)
    const concept_id = makeId('concept', now_ms)
    const seq = Number(insert.run(concept_id, project, name, now_ms).lastInsertRowid)
    setAssets({ seq, project, project_id, name }, of.asset_ids ?? [])
    setLabels({ seq, project, project_id, name }, of.labels ?? [])
    return concept_id
  })
  const change = database.transaction((concept_id: string, to: Parameters<Concepts['change']>[1]) => {
    const concept = placeOf(database, 'concept', concept_id)
    if (to.name !== undefined && to.name !== concept.name) {
      refuseTaken(database, 'concepts', concept.project, to.name)
      rename.run(to.name, concept.seq)
    }
    if (to.asset_ids) setAssets(concept, to.asset_ids)
    if (to.labels) setLabels(concept, to.labels)
  })

  return {
    create(name, of) {
      checkName('concept', name)
      checkLabels(of.labels)
      return { concept_id: create.immediate(name, of) }
    },
    change(concept_id, to) {
      if (to.name !== undefined) checkName('concept', to.name)
      checkLabels(to.labels)
      change.immediate(concept_id, to)
    },
    remove(concept_id) {
      if (remove.run(concept_id).changes === 0) throw unknown('concept', concept_id)
    },
    list() {
      const rows = database
        .prepare(
          `SELECT concept_id, project_id, concepts.name, concepts.created_at_ms,
             (SELECT count(*) FROM concept_assets WHERE concept = concepts.seq) AS assets,
             (SELECT json_group_array(labels.name) FROM concept_labels JOIN labels ON labels.seq = label
              WHERE concept = concepts.seq) AS labels
           FROM concepts JOIN projects ON projects.seq = project ORDER BY concepts.seq`,
        )
        .all() as (Omit<ConceptRow, 'labels' | 'created_at'> & { labels: string; created_at_ms: number })[]
      return rows.map(({ labels, created_at_ms, ...row }) => ({
        ...row,
        labels: JSON.parse(labels) as string[],
        created_at: isoTime(created_at_ms),
      }))
    },
  }
}

export function openViews(database: Sqlite, clock: Clock): Views {
  const insert = database.prepare(
    'INSERT INTO views (view_id, project, name, label_names, name_pattern, created_at_ms) VALUES (?, ?, ?, ?, ?, ?)',
  )
  const create = database.transaction((name: string, of: Parameters<Views['create']>[1]) => {
    const now_ms = clock.now_ms()
    const project = projectWith(database, of.project_id)
    refuseTaken(database, 'views', project, name)
    const view_id = makeId('view', now_ms)
    const label_names = of.labels?.length ? JSON.stringify(of.labels) : null
    insert.run(view_id, project, name, label_names, of.name_pattern ?? null, now_ms)
    return view_id
  })
  const update = database.prepare('UPDATE views SET name = ?, label_names = ?, name_pattern = ? WHERE seq = ?')
  const remove = database.prepare('DELETE FROM views WHERE view_id = ?')
  const filter = database.prepare('SELECT label_names, name_pattern FROM views WHERE seq = ?')
  const change = database.transaction((view_id: string, to: Parameters<Views['change']>[1]) => {
    const view = placeOf(database, 'view', view_id)
    const name = to.name ?? view.name
    if (name !== view.name) refuseTaken(database, 'views', view.project, name)
    const before = filter.get(view.seq) as { label_names: string | null; name_pattern: string | null }
    const label_names = to.labels ? JSON.stringify(to.labels) : before.label_names
    const name_pattern = to.name_pattern ?? before.name_pattern
    const kept = { label_names: label_names === '[]' ? null : label_names, name_pattern: name_pattern || null }
    if (kept.label_names === null && kept.name_pattern === null) throw withoutFilter()
    update.run(name, kept.label_names, kept.name_pattern, view.seq)
  })

  return {
    create(name, of) {
      checkName('view', name)
      checkLabels(of.labels)
      if (!of.labels?.length && of.name_pattern === undefined) throw withoutFilter()
      return { view_id: create.immediate(name, of) }
    },
    change(view_id, to) {
      if (to.name !== undefined) checkName('view', to.name)
      checkLabels(to.labels)
      change.immediate(view_id, to)
    },
    remove(view_id) {
      if (remove.run(view_id).changes === 0) throw unknown('view', view_id)
    },
    list() {
      const rows = database
        .prepare(
          `SELECT view_id, project_id, views.name, label_names, name_pattern, views.created_at_ms
           FROM views JOIN projects ON projects.seq = project ORDER BY views.seq`,
        )
        .all() as {
        view_id: string
        project_id: string
        name: string
        label_names: string | null
        name_pattern: string | null
        created_at_ms: number
      }[]
      return rows.map(({ label_names, name_pattern, created_at_ms, ...row }) => ({
        ...row,
        labels: JSON.parse(label_names ?? '[]') as string[],
        ...(name_pattern === null ? {} : { name_pattern }),
        created_at: isoTime(created_at_ms),
      }))
    },
  }
}

function projectWith(database: Sqlite, project_id: string): number {
  const project = database.prepare('SELECT seq FROM projects WHERE project_id = ?').pluck().get(project_id)
  if (project !== undefined) return project as number
  throw refused(`there is no project ${project_id}`, 'list them with `sluice serve project list`')
}

function placeOf(database: Sqlite, kind: 'concept' | 'view', id: string): Place {
  const found = database
    .prepare(
      `SELECT ${kind}s.seq, project, project_id, ${kind}s.name FROM ${kind}s JOIN projects ON projects.seq = project
       WHERE ${kind}_id = ?`,
    )
    .get(id)
  if (!found) throw unknown(kind, id)
  return found as Place
}

function unknown(kind: 'concept' | 'view', id: string): SluiceError {
  return refused(`there is no ${kind} ${id}`, `list them with \`sluice serve ${kind} list\``)
}

function withoutFilter(): SluiceError {
  return refused('a view without a filter would be the whole project', 'use --labels, --name-pattern or both')
}

function refuseTaken(database: Sqlite, table: 'concepts' | 'views', project: number, name: string): void {
  if (!database.prepare(`SELECT 1 FROM ${table} WHERE project = ? AND name = ?`).get(project, name)) return
  throw refused(`"${name}" is in use in this project`, 'choose another name')
}

function checkLabels(names: readonly string[] = []): void {
  for (const name of names) {
    if (hasCharacters(name, label_name_shortest, label_name_longest)) continue
    throw refused(
      `"${name}" cannot be the name of a label`,
      `use ${label_name_shortest} to ${label_name_longest} characters`,
    )
  }
}
