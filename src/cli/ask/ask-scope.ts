import { SluiceError } from '../../base/run/errors.ts'
import { didYouMean } from '../../base/text/did-you-mean.ts'
import { counted, shellWord } from '../../base/text/format.ts'
import { pathMatcher } from '../../base/text/ignore-patterns.ts'
import type { Config } from '../../config/config.ts'
import { duration_pattern, parseDuration_ms } from '../../config/schema/units.ts'
import { max_scope_ids } from '../../contract/limits.ts'
import type { ArrivedFile } from '../../ledger/views/view-arrivals.ts'
import type { LabelReference } from '../../remote/assets.ts'
import type { Scope } from '../../remote/chats.ts'
import { withArrivalsView } from '../daemon/views.ts'
import { type Place, wholeFolder } from '../place.ts'

/** The scope of a question, as the command line has it. */
export interface ScopeFlags {
  /** Names or paths of folders. */
  folder: readonly string[]
  /** Patterns as in .gitignore, relative to a folder. */
  path: readonly string[]
  /** Age such as `24h`: only files that became ready within it. Undefined: of any age. */
  fresh: string | undefined
  /** Names of labels. */
  label: readonly string[]
}

/** The scope of a question, checked, with the project that is asked. */
export interface Narrowing {
  project_id: string
  folders: readonly string[]
  paths: readonly string[]
  within_ms: number | undefined
  labels: readonly string[]
  /** False if no option is about files: the question is over labels or the whole project. */
  about_files: boolean
}

export interface FilesInScope {
  /** One for each asset, newest first, at most `max`. */
  files: ArrivedFile[]
  /** True if more files match. */
  is_cut: boolean
}

/** Errors `usage.*`: an unknown folder, folders of several projects, a time in a wrong form. */
export function narrowingOf(flags: ScopeFlags, config: Config, cwd: string): Narrowing {
  const { path: paths, fresh, label: labels } = flags
  const named = flags.folder.map((text) => {
    const hintFor = ({ folder, path }: Place) => `--folder ${folder} --path ${shellWord(`/${path}`)}`
    return wholeFolder(text, config.folders, cwd, hintFor)
  })
  const about_files = named.length > 0 || paths.length > 0 || fresh !== undefined
  const folders = named.length > 0 ? [...new Set(named)] : config.folders.map(({ name }) => name)
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
  return { project_id, folders, paths, within_ms: fresh === undefined ? undefined : spanOf(fresh), labels, about_files }
}

function spanOf(text: string): number {
  if (duration_pattern.test(text)) return parseDuration_ms(text)
  throw new SluiceError({
    code: 'usage.invalid',
    message: `--fresh takes a time such as 24h, 90m or 7d, not ${text}`,
  })
}

/**
 * Finds the ready files of a scope. Reads only the ledger, with or without a daemon. Undefined if
 * there is no ledger yet. `max`: most files that one request can name.
 */
export function filesInScope(
  { folders, paths, within_ms }: Pick<Narrowing, 'folders' | 'paths' | 'within_ms'>,
  { state_dir, now_ms, max = max_scope_ids }: { state_dir: string; now_ms: number; max?: number },
): Promise<FilesInScope | undefined> {
  return withArrivalsView(state_dir, (view) => {
    if (!view) return undefined
    const matches = pathMatcher(paths)
    const since_ms = within_ms === undefined ? undefined : now_ms - within_ms
    const by_asset = new Map<string, ArrivedFile>()
    for (const file of view.newest({ folders, since_ms })) {
      if (by_asset.has(file.asset_id) || !matches(file.path)) continue
      if (by_asset.size === max) return { files: [...by_asset.values()], is_cut: true }
      by_asset.set(file.asset_id, file)
    }
    return { files: [...by_asset.values()], is_cut: false }
  })
}

/** The ids of labels by their names. Error `usage.label`: the project has no label of that name. */
export function labelIds(names: readonly string[], known: readonly LabelReference[]): string[] {
  const ids = names.flatMap((name) => {
    const found = known.filter((label) => label.name === name).map(({ label_id }) => label_id)
    if (found.length > 0) return found
    const all = known.map((label) => label.name)
    const meant = didYouMean(name, all)
    const hint = meant && `did you mean ${meant}?`
    throw new SluiceError({ code: 'usage.label', message: `the project has no label ${name}`, hint })
  })
  return [...new Set(ids)]
}

/** The scope to send; undefined: the whole project. One without ids would mean the same. */
export function scopeOf(files: readonly ArrivedFile[], label_ids: readonly string[]): Scope | undefined {
  const asset_ids = files.map(({ asset_id }) => asset_id)
  if (asset_ids.length === 0 && label_ids.length === 0) return undefined
  return { ...(asset_ids.length > 0 ? { asset_ids } : {}), ...(label_ids.length > 0 ? { label_ids } : {}) }
}

/** Describes the scope for users. */
export function scopeText(narrowing: Narrowing, found: FilesInScope | undefined): string {
  const { project_id, labels, about_files } = narrowing
  if (!about_files && labels.length === 0) return `the whole project ${project_id}`
  const parts: string[] = []
  if (found && found.files.length > 0) {
    const { files, is_cut } = found
    const count = `${is_cut ? 'the newest ' : ''}${counted(files.length, 'file')}`
    parts.push(`${count} of ${[...new Set(files.map(({ folder }) => folder))].join(', ')}`)
  }
  if (labels.length > 0) parts.push(`what has the label ${labels.join(' or ')}`)
  return parts.join(', and ')
}
