import { hasCharacters } from '../base/characters.ts'
import type { Sqlite } from '../base/sqlite.ts'
import { type Clock, isoTime } from '../base/time.ts'
import { label_name_longest, label_name_shortest } from '../contract/limits.ts'
import { checkName, refused } from './administration.ts'
import { makeId } from './ids.ts'
import { openLabelStore } from './store-labels.ts'

export interface ConceptRow {
  concept_id: string
  project_id: string
  name: string
  /** How many it has. */
  assets: number
  labels: string[]
  created_at: string
}

export interface ViewListed {
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
  list(): ConceptRow[]
}

export interface Views {
  /** Assets with any of these labels and a file name like the pattern. Error `config.service` likewise, and without a filter. */
  create(
    name: string,
    of: { project_id: string; labels?: readonly string[]; name_pattern?: string | undefined },
  ): { view_id: string }
  list(): ViewListed[]
}

export function openConcepts(database: Sqlite, clock: Clock): Concepts {
  const labels = openLabelStore(database)
  const insert = database.prepare('INSERT INTO concepts (concept_id, project, name, created_at_ms) VALUES (?, ?, ?, ?)')
  const add_asset = database.prepare('INSERT OR IGNORE INTO concept_assets (concept, asset) VALUES (?, ?)')
  const add_label = database.prepare('INSERT OR IGNORE INTO concept_labels (concept, label) VALUES (?, ?)')
  const find_asset = database.prepare('SELECT seq FROM assets WHERE asset_id = ? AND project = ?').pluck()

  const create = database.transaction((name: string, of: Parameters<Concepts['create']>[1]) => {
    const now_ms = clock.now_ms()
    const project = projectWith(database, of.project_id)
    refuseTaken(database, 'concepts', project, name)
    const concept_id = makeId('concept', now_ms)
    const { lastInsertRowid } = insert.run(concept_id, project, name, now_ms)
    for (const asset_id of of.asset_ids ?? []) {
      const asset = find_asset.get(asset_id, project)
      if (asset === undefined) throw refused(`there is no asset ${asset_id} in ${of.project_id}`, 'check its id')
      add_asset.run(lastInsertRowid, asset)
    }
    for (const label of of.labels ?? []) {
      if (!labels.named(project, label)) labels.insert(project, makeId('label', now_ms), { name: label })
      add_label.run(lastInsertRowid, labels.named(project, label)!.seq)
    }
    return concept_id
  })

  return {
    create(name, of) {
      checkName('concept', name)
      checkLabels(of.labels)
      if (!of.asset_ids?.length) throw refused('a concept has assets', 'name them with --assets')
      return { concept_id: create.immediate(name, of) }
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

  return {
    create(name, of) {
      checkName('view', name)
      checkLabels(of.labels)
      if (!of.labels?.length && of.name_pattern === undefined) {
        throw refused('a view without a filter would be the whole project', 'use --labels, --name-pattern or both')
      }
      return { view_id: create.immediate(name, of) }
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
