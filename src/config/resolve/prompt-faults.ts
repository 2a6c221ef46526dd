import { join, relative } from 'node:path'
import { isBelow } from '../../base/files/path-below.ts'
import { didYouMeanText, knownAre } from '../../base/text/did-you-mean.ts'
import { check, type Fault, type Path, pathText } from '../faults.ts'
import { alerts_schema } from '../schema/schema-alerts.ts'
import { name_field } from '../schema/schema-folder.ts'
import { type CheckedPrompt, prompt_schema } from '../schema/schema-prompts.ts'
import {
  defaultStateDir,
  doubleNames,
  expandPath,
  field,
  folderAround,
  listOf,
  named,
  type WholeFile,
} from './local-paths.ts'
import { deliveryName } from './resolve-prompts.ts'

/**
 * Faults between prompts, their fields and the folders. Reads the unchecked content, so that a user
 * sees these faults together with those of the schema. Prompts that fail the schema are skipped.
 */
export function promptFaults(whole: WholeFile): Fault[] {
  const prompts = listOf(field(whole.value, 'prompts'))
  return [
    ...doubleNames(prompts, ['prompts']),
    ...prompts.flatMap((written, at) => {
      const prompt = check(prompt_schema, written).output
      if (!prompt) return []
      const path = ['prompts', at]
      return [
        ...scopeFaults(prompt, path, whole),
        ...deliveryFaults(prompt, path, whole),
        ...placeFaults(prompt, path, whole),
      ]
    }),
    ...enclosedSecret(field(whole.value, 'smtp'), ['smtp', 'password_file'], whole),
  ]
}

/**
 * Faults between the alerts and other sections; an alert section that fails the schema is skipped.
 */
export function alertFaults(whole: WholeFile): Fault[] {
  const written = field(whole.value, 'alerts')
  const alerts = written === undefined ? undefined : check(alerts_schema, written).output
  if (!alerts) return []
  return [
    ...deliveryFaults(alerts, ['alerts'], whole, false),
    ...placeFaults(alerts, ['alerts'], whole),
    ...enclosedSecret(alerts.ping, ['alerts', 'ping', 'url_file'], whole),
  ]
}

function scopeFaults(
  { scope, when_nothing_new, project_id }: CheckedPrompt,
  path: Path,
  whole: WholeFile,
): Fault[] {
  const at = [...path, 'scope']
  const others = [scope.labels, scope.chats, scope.concepts, scope.projects, scope.views]
  const has_others = others.some((list) => list.length > 0)
  if (scope.folders.length === 0) {
    const message = 'needs folders beside it'
    return [
      ...(has_others
        ? []
        : [{ path: at, message: 'must name something: an empty scope would mean everything' }]),
      ...(scope.paths.length > 0 ? [{ path: [...at, 'paths'], message }] : []),
      ...(scope.fresh !== undefined ? [{ path: [...at, 'fresh'], message }] : []),
    ]
  }
  const faults = [
    ...folderFaults(scope.folders, [...at, 'folders'], project_id, whole),
    ...patternFaults(scope.paths, [...at, 'paths'], whole),
  ]
  if (when_nothing_new === 'run' && !has_others) {
    const message =
      'must be skip: without new files the scope would be empty, which would mean everything; run is for scopes with ' +
      'labels, chats, concepts, projects or views, too'
    faults.push({ path: [...path, 'when_nothing_new'], message })
  }
  return faults
}

/** Faults of patterns that match no file. */
function patternFaults(
  patterns: readonly string[],
  path: Path,
  { folders, environment }: WholeFile,
): Fault[] {
  const written = folders
    .map((folder) => field(folder, 'path'))
    .filter((folder) => typeof folder === 'string')
  const roots = written.map((folder) => expandPath(folder, environment.home))
  const absolute = patterns.flatMap((pattern, at): Fault[] => {
    const place = expandPath(pattern.replace(/^!/, ''), environment.home)
    if (!/^!?(\/|~\/)/.test(pattern) || !roots.some((root) => isBelow(place, root))) return []
    return [
      {
        path: [...path, at],
        message: 'must be relative to the folder: it begins with the path of one',
      },
    ]
  })
  if (patterns.length === 0 || patterns.some((pattern) => !/^[!#]/.test(pattern))) return absolute
  return [
    ...absolute,
    { path, message: 'must hold a pattern that is no negation or comment, or no file would match' },
  ]
}

function folderFaults(
  names: readonly string[],
  path: Path,
  project_id: string | undefined,
  whole: WholeFile,
): Fault[] {
  const { folders, value } = whole
  const known = folders
    .map((folder) => name_field.safeParse(field(folder, 'name')).data)
    .filter((name) => name !== undefined)
  let project: unknown = project_id
  return names.flatMap((name, at): Fault[] => {
    const folder = folders.find((candidate) => field(candidate, 'name') === name)
    if (folder === undefined) {
      // A folder without a name that can be read has a fault of its own.
      if (known.length < Math.max(1, folders.length)) return []
      return [
        {
          path: [...path, at],
          message: `there is no such folder; ${didYouMeanText(name, known, knownAre('folder', known))}`,
        },
      ]
    }
    const own = field(folder, 'project_id') ?? field(field(value, 'service'), 'project_id')
    project ??= own
    if (own === project) return []
    return [
      {
        path: [...path, at],
        message: 'is a folder of another project; a prompt belongs to one project',
      },
    ]
  })
}

type Deliveries = Pick<CheckedPrompt, 'deliver'>

/** With `has_report`, the first file is the report itself: it is no delivery and needs no name. */
function deliveryFaults(
  { deliver }: Deliveries,
  path: Path,
  whole: WholeFile,
  has_report = true,
): Fault[] {
  const { home } = whole.environment
  const report = has_report ? deliver.findIndex(({ file }) => file !== undefined) : -1
  const names = deliver.map((one, at) =>
    at === report ? one.name : deliveryName(one, whole.value, home),
  )
  const files = deliver.map(({ file }) => file && join(expandPath(file.dir, home), file.name))
  return deliver.flatMap(({ name, email }, at): Fault[] => {
    const here = [...path, 'deliver', at]
    const faults: Fault[] = []
    const same_file = files[at] === undefined ? at : files.indexOf(files[at])
    const same_name = names[at] === undefined ? at : names.indexOf(names[at])
    const other = pathText([...path, 'deliver', same_name])
    if (same_file < at) {
      const message = `is the file of deliver[${same_file}], too: give it another dir or name`
      faults.push({ path: [...here, 'file'], message })
    } else if (same_name < at && (name !== undefined || deliver[same_name]?.name !== undefined)) {
      faults.push({ path: [...here, 'name'], message: `${other} has this name` })
    } else if (same_name < at) {
      const message = `has the receiver of ${other}: give one of the two a name of its own`
      faults.push({ path: here, message })
    }
    if (email && !email.smtp && field(whole.value, 'smtp') === undefined) {
      const message = 'has no server: give it smtp, or the file a section smtp'
      faults.push({ path: [...here, 'email'], message })
    }
    return faults
  })
}

function placeFaults({ deliver }: Deliveries, path: Path, whole: WholeFile): Fault[] {
  return deliver.flatMap(({ file, webhook, email }, at) => {
    const here = [...path, 'deliver', at]
    const secret = (section: unknown, ...way: string[]) =>
      enclosedSecret(section, [...here, ...way], whole)
    return [
      ...takenUp(file, [...here, 'file', 'dir'], whole),
      ...amongState(file, [...here, 'file', 'dir'], whole),
      ...secret(webhook, 'webhook', 'url_file'),
      ...secret(webhook, 'webhook', 'secret_file'),
      ...secret(email?.smtp, 'email', 'smtp', 'password_file'),
    ]
  })
}

/**
 * Only Sluice may read the state directory, so reports for others must not lie there. Its own
 * reports directory is allowed.
 */
function amongState(file: unknown, path: Path, whole: WholeFile): Fault[] {
  const { value, environment, paths } = whole
  const dir = named(path, file, whole)
  const state_dir =
    named(['state_dir'], value, whole)?.real ?? paths.look(defaultStateDir(environment)).real
  if (!dir || !isBelow(dir.real, state_dir) || isBelow(dir.real, join(state_dir, 'reports')))
    return []
  const message = `must not lie in the state folder (${state_dir}), except in its reports directory: other users may not read it`
  return [{ path, message }]
}

/**
 * Faults of a report directory in a watched folder: each report would be uploaded, and the next
 * report would be about it.
 */
function takenUp(file: unknown, path: Path, whole: WholeFile): Fault[] {
  const dir = named(path, file, whole)
  const index = dir ? folderAround(dir.real, whole) : -1
  if (!dir || index < 0) return []
  const way = relative(whole.real[index]!.real, dir.real)
  const exclude = listOf(field(whole.folders[index], 'exclude'))
  if (way !== '' && isExcluded(way, exclude)) return []
  const advice = way === '' ? '' : `; or ${adviceFor(way, exclude, index)}`
  const message = `must not lie inside a watched folder (folders[${index}]): reports would be uploaded as input${advice}`
  return [{ path, message }]
}

function adviceFor(way: string, exclude: readonly unknown[], index: number): string {
  const negation = exclude.find((pattern) => typeof pattern === 'string' && pattern.startsWith('!'))
  const pattern = JSON.stringify(`/${way}/`)
  if (negation === undefined) return `let folders[${index}].exclude hold ${pattern}`
  return `let folders[${index}].exclude hold ${pattern} and no negation such as ${negation}, which may bring a part of it back`
}

/**
 * True if a pattern names this directory or a parent exactly, and no negation can include a part
 * again. Patterns with wildcards do not count: only a scan knows what they exclude.
 */
function isExcluded(way: string, patterns: readonly unknown[]): boolean {
  if (/[*?[\]\\]/.test(way)) return false
  const parts = way.split('/')
  const around = new Set(parts.map((_, at) => parts.slice(0, at + 1).join('/')))
  let excluded = false
  for (const pattern of patterns) {
    if (typeof pattern !== 'string' || pattern.startsWith('#')) continue
    if (pattern.startsWith('!')) return false
    if (around.has(pattern.replace(/^\/|\/$/g, ''))) excluded = true
  }
  return excluded
}

function enclosedSecret(section: unknown, path: Path, whole: WholeFile): Fault[] {
  const file = named(path, section, whole)
  const index = file ? folderAround(file.real, whole) : -1
  if (index < 0) return []
  return [
    {
      path,
      message: `must not lie inside a watched folder (folders[${index}]): it would be uploaded`,
    },
  ]
}
