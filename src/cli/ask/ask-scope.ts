import { SluiceError } from '../../base/run/errors.ts'
import { didYouMean } from '../../base/text/did-you-mean.ts'
import { counted, fitText, shellWord } from '../../base/text/format.ts'
import { pathMatcher } from '../../base/text/ignore-patterns.ts'
import { scrubText } from '../../base/text/scrub.ts'
import type { Config } from '../../config/config.ts'
import { check } from '../../config/faults.ts'
import { question_schema } from '../../config/schema/schema-prompts.ts'
import { duration_pattern, parseDuration_ms } from '../../config/schema/units.ts'
import { max_scope_ids } from '../../contract/limits.ts'
import type { Place } from '../../inspect/files/place.ts'
import type { ArrivedFile } from '../../ledger/views/view-arrivals.ts'
import { filledKinds } from '../../prompts/plan/question.ts'
import type { PromptScope } from '../../prompts/prompt-settings.ts'
import type { LabelReference } from '../../remote/assets.ts'
import type { Scope } from '../../remote/chats.ts'
import { withArrivalsView } from '../../status/with-view.ts'
import { wholeFolder } from '../place.ts'

/** The scope of a question, as the command line has it. */
export interface ScopeFlags extends Others {
  /** Names or paths of folders. */
  folder: readonly string[]
  /** Patterns as in .gitignore, relative to a folder. */
  paths: readonly string[]
  /** Age such as `24h`: only files that became ready within it. Undefined: of any age. */
  fresh: string | undefined
}

/** Parts of the scope that are no files: names of labels, and ids of the other kinds. */
type Others = Pick<PromptScope, 'labels' | 'chats' | 'concepts' | 'projects' | 'views'>

/** The scope of a question, checked, with the project that is asked. */
export interface Narrowing {
  project_id: string
  folders: readonly string[]
  paths: readonly string[]
  within_ms: number | undefined
  others: Others
  /** False if no option is about files: the question is over `others` or the whole project. */
  about_files: boolean
}

export interface FilesInScope {
  /** One for each asset, newest first, at most `max`. */
  files: ArrivedFile[]
  /** True if more files match. */
  is_cut: boolean
}

/** Columns of a refused value: more than an id has. */
const max_shown = 60

/**
 * Checks options by the rules for the same fields of a configured prompt. An option has the name of
 * its field in the singular. Error `usage.invalid` has a line for each fault.
 */
export function checkedFields(written: Readonly<Record<string, string | readonly string[] | undefined>>) {
  const { output, faults } = check(question_schema, written)
  if (output) return output
  const lines = faults.map(({ path: [field, at], message }) => {
    const given = written[field!]
    const value = typeof at === 'number' ? given?.[at] : given
    // Masked before it is cut: half a token would pass the last filter.
    const shown = typeof value === 'string' ? ` ${shellWord(fitText(scrubText(value), max_shown))}` : ''
    return `--${String(field).replace(/s$/, '')}${shown}: ${message}`
  })
  throw new SluiceError({ code: 'usage.invalid', message: lines.join('\n') })
}

/**
 * Errors `usage.*`: an unknown folder, folders of several projects, a time in a wrong form, a scope
 * that narrows the whole project.
 */
export function narrowingOf(flags: ScopeFlags, config: Config, cwd: string): Narrowing {
  const { folder, paths, fresh, ...others } = flags
  const named = folder.map((text) => {
    const hintFor = (place: Place) => `--folder ${place.folder} --path ${shellWord(`/${place.path}`)}`
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
  const within_ms = fresh === undefined ? undefined : spanOf(fresh)
  const narrowing = { project_id, folders, paths, within_ms, others, about_files }
  refuseContradiction(narrowing)
  return narrowing
}

/** The project that is asked covers its own files, labels, concepts and views. */
function refuseContradiction({ project_id, about_files, others }: Narrowing): void {
  const { labels, concepts, views } = others
  const is_narrowed = about_files || [labels, concepts, views].some((list) => list.length > 0)
  if (!is_narrowed || !others.projects.includes(project_id)) return
  throw new SluiceError({
    code: 'usage.invalid',
    message: `--project ${project_id} is the whole project that is asked, so the other options would narrow nothing`,
    hint: 'leave out --project, or --folder, --path, --fresh, --label, --concept and --view',
  })
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

/** The scope to send; undefined: the whole project. */
export function scopeOf(
  files: readonly ArrivedFile[],
  label_ids: readonly string[],
  others: Others,
): Scope | undefined {
  const { chats: chat_ids, concepts: concept_ids, projects: project_ids, views: view_ids } = others
  const asset_ids = files.map(({ asset_id }) => asset_id)
  return filledKinds({ asset_ids, label_ids, chat_ids, concept_ids, project_ids, view_ids })
}

/** True if the scope is more than files. */
export function hasOthers(others: Others): boolean {
  return Object.values(others).some((list) => list.length > 0)
}

/** Describes the scope for users. */
export function scopeText(narrowing: Narrowing, found: FilesInScope | undefined): string {
  const { project_id, others, about_files } = narrowing
  if (!about_files && !hasOthers(others)) return `the whole project ${project_id}`
  const parts: string[] = []
  if (found && found.files.length > 0) {
    const { files, is_cut } = found
    const count = `${is_cut ? 'the newest ' : ''}${counted(files.length, 'file')}`
    parts.push(`${count} of ${[...new Set(files.map(({ folder }) => folder))].join(', ')}`)
  }
  if (others.labels.length > 0) parts.push(`what has the label ${others.labels.join(' or ')}`)
  for (const kind of ['chat', 'concept', 'project', 'view'] as const) {
    const ids = others[`${kind}s`]
    if (ids.length > 0) parts.push(`the ${kind}${ids.length > 1 ? 's' : ''} ${ids.join(', ')}`)
  }
  return parts.join(', and ')
}
