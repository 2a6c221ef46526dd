import { SluiceError } from '../../base/run/errors.ts'
import { counted } from '../../base/text/format.ts'
import { pathMatcher, refuseNegated } from '../../base/text/ignore-patterns.ts'
import { mayReadNames } from '../../domain/asset-name.ts'
import type { ArrivedFile, openArrivalsView } from '../../ledger/views/view-arrivals.ts'
import { copiesText } from '../plan/coverage.ts'
import type { PromptScope } from '../prompt-settings.ts'

/** Parts of the scope that are no files: names of labels, and ids of the other kinds. */
export type Others = Pick<PromptScope, 'labels' | 'chats' | 'concepts' | 'projects' | 'views'>

/** The scope of a question, as the user wants it. */
export interface WantedScope {
  /** Names of folders of the configuration; undefined: all of them. An empty list has no file. */
  folders: readonly string[] | undefined
  /** Patterns as in .gitignore, relative to a folder; none: every file. */
  paths: readonly string[]
  /** Only files that became ready within this time; undefined: of any age. */
  within_ms: number | undefined
  others: Others
}

/** A wanted scope with the project that is asked. */
export type Narrowing = ReturnType<typeof narrowingOf>
export type FilesInScope = ReturnType<typeof filesInScope>

interface FileScope extends Pick<Narrowing, 'folders' | 'paths' | 'within_ms'> {
  sees?: Sees
}

/**
 * Finds the project to ask. Errors: `usage.projects` if the folders belong to several, `usage.path`
 * if the patterns name nothing. `config`: the folders of the configuration, and the project of a
 * question about none of them.
 */
export function narrowingOf(
  { folders: named, paths, within_ms, others }: WantedScope,
  config: {
    readonly folders: readonly { readonly name: string; readonly project_id: string }[]
    readonly service: { readonly project_id: string }
  },
) {
  refuseNegated(paths)
  const about_files = named !== undefined || paths.length > 0 || within_ms !== undefined
  const folders = named ? [...new Set(named)] : config.folders.map(({ name }) => name)
  const projects = new Set(
    config.folders.filter(({ name }) => folders.includes(name)).map(({ project_id }) => project_id),
  )
  if (about_files && projects.size > 1) {
    throw new SluiceError({
      code: 'usage.projects',
      message: `the folders ${folders.join(', ')} belong to ${projects.size} projects, and a question goes to one`,
      hint: 'name folders of one project with --folder',
    })
  }
  const [only] = projects
  const project_id = projects.size === 1 && only !== undefined ? only : config.service.project_id
  /** `about_files`: false if the question is over `others`, or over the whole project. */
  return { project_id, folders, paths, within_ms, others, about_files }
}

/** (contract/limits.ts) The most files that one request can name. */
const max_scope_files = 10_000

/** Folders of the files whose names the asking user may read; undefined: all. */
export type Sees = readonly string[] | undefined

type ArrivalsView = ReturnType<typeof openArrivalsView>

/**
 * True if the user may read each name that the service has for the asset of this file. An answer
 * cites a file by that name, which may be the name of a copy in another folder.
 */
export function mayCite(file: ArrivedFile, view: Pick<ArrivalsView, 'naming'>, sees: Sees) {
  return sees === undefined || mayReadNames(view.naming(file), (folder) => sees.includes(folder))
}

/**
 * Finds the ready files of a scope: one for each asset, newest first, at most `max`. `copies`:
 * number of further files with the same bytes. `is_cut`: more files match. `left_out`: number of
 * those read whose names the user may not read. Without a ledger there is no `view`, and no file.
 */
export function filesInScope(
  { folders, paths, within_ms, sees }: FileScope,
  view: ArrivalsView | undefined,
  now_ms: number,
  max = max_scope_files,
) {
  const matches = pathMatcher(paths)
  const since_ms = within_ms === undefined ? undefined : now_ms - within_ms
  const by_asset = new Map<string, ArrivedFile>()
  const untold = new Map<string, number>()
  let copies = 0
  const found = (is_cut: boolean) => {
    const left_out = [...untold.values()].reduce((sum, files) => sum + files, 0)
    return { files: [...by_asset.values()], copies, is_cut, left_out }
  }
  for (const file of view?.newest({ folders, since_ms }) ?? []) {
    const { asset_id } = file
    if (!matches(file.path)) continue
    if (by_asset.has(asset_id)) copies++
    else if (!mayCite(file, view!, sees)) {
      const before = untold.get(asset_id) ?? 0
      if (before > 0 || untold.size < max) untold.set(asset_id, before + 1)
    } else {
      if (by_asset.size === max) return found(true)
      // Another copy, which the user sees, has the name.
      copies += untold.get(asset_id) ?? 0
      untold.delete(asset_id)
      by_asset.set(asset_id, file)
    }
  }
  return found(false)
}

/** Why files were not asked about, after a sentence without its full stop; empty without any. */
export function leftOutText({ left_out = 0 }: { left_out?: number } = {}): string {
  if (left_out === 0) return ''
  return `; ${counted(left_out, 'file')} left out: the service has the same bytes under a name of a folder that you do not see, or under a name that Sluice does not know`
}

/** True if the scope is more than files. */
export function hasOthers(others: Others): boolean {
  return Object.values(others).some((list) => list.length > 0)
}

/** `projects`: those of the configuration. The id of the only one says nothing to a user. */
export function scopeText(
  narrowing: Narrowing,
  found: FilesInScope | undefined,
  projects: readonly string[],
): string {
  const { project_id, others, about_files } = narrowing
  if (!about_files && !hasOthers(others)) {
    const is_only = projects.every((id) => id === project_id)
    return `the whole project${is_only ? '' : ` ${project_id}`}`
  }
  const parts: string[] = []
  if (found && found.files.length > 0) {
    const { files, copies, is_cut } = found
    const count = `${is_cut ? 'the newest ' : ''}${counted(files.length + copies, 'file')}`
    const folders = [...new Set(files.map(({ folder }) => folder))].join(', ')
    parts.push(`${count} of ${folders}${copiesText(copies)}`)
  }
  if (others.labels.length > 0) parts.push(`what has the label ${others.labels.join(' or ')}`)
  for (const kind of ['chat', 'concept', 'project', 'view'] as const) {
    const ids = others[`${kind}s`]
    if (ids.length > 0) parts.push(`the ${kind}${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`)
  }
  return parts.join(', and ')
}
