import type { Sqlite } from '../base/sqlite.ts'

interface ViewRow {
  /** JSON of a list of names. */
  label_names: string | null
  name_pattern: string | null
}

/** Concepts and views, as the scope of a turn needs them; they are made by command (concepts.ts). */
export interface ConceptStore {
  find(project: number, concept_id: string): number | undefined
  /** The ready assets of a concept. */
  assetsOf(concept: number): number[]
  /** The concepts that carry a label. */
  labelled(label: number): number[]
  findView(project: number, view_id: string): ViewRow | undefined
  /** The ready assets that a view shows, now. */
  shownIn(project: number, view: ViewRow): number[]
}

export function openConceptStore(database: Sqlite): ConceptStore {
  const find = database.prepare('SELECT seq FROM concepts WHERE concept_id = ? AND project = ?').pluck()
  const assets_of = database
    .prepare(
      `SELECT asset FROM concept_assets JOIN assets ON assets.seq = asset WHERE concept = ? AND status = 'ready'`,
    )
    .pluck()
  const labelled = database.prepare('SELECT concept FROM concept_labels WHERE label = ?').pluck()
  const find_view = database.prepare('SELECT label_names, name_pattern FROM views WHERE view_id = ? AND project = ?')
  const shown = database
    .prepare(
      `SELECT seq FROM assets WHERE project = @project AND status = 'ready'
         AND (@name_pattern IS NULL OR filename GLOB @name_pattern)
         AND (@label_names IS NULL OR EXISTS (
           SELECT 1 FROM asset_labels JOIN labels ON labels.seq = label
           WHERE asset = assets.seq AND labels.name IN (SELECT value FROM json_each(@label_names))))`,
    )
    .pluck()

  return {
    find: (project, concept_id) => find.get(concept_id, project) as number | undefined,
    assetsOf: (concept) => assets_of.all(concept) as number[],
    labelled: (label) => labelled.all(label) as number[],
    findView: (project, view_id) => find_view.get(view_id, project) as ViewRow | undefined,
    shownIn: (project, { label_names, name_pattern }) => shown.all({ project, label_names, name_pattern }) as number[],
  }
}
