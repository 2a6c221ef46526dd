import { join, resolve } from 'node:path'
import { isBelow } from '../../base/files/path-below.ts'
import type { PathFacts, Paths } from '../../base/files/paths.ts'
import { systemWords } from '../../base/run/errors.ts'
import type { Environment } from '../environment.ts'
import { type Fault, type Path, pathText } from '../faults.ts'

/** `~/notes/` becomes `/home/ada/notes`. */
export function expandPath(path: string, home: string): string {
  return resolve(path.replace(/^~(?=\/|$)/, home))
}

export function defaultStateDir(environment: Environment): string {
  return environment.state_directory ?? join(environment.state_home, 'sluice')
}

/** Adds the state directory of the service, for commands typed by hand. */
export function inService(environment: Environment, file: string): Environment {
  return { ...environment, state_directory: environment.state_directory ?? serviceStateDir(file) }
}

/**
 * State directory of the unit for a configuration in /etc/sluice (sluice.service, sluice@.service).
 * A command typed by hand has no STATE_DIRECTORY, and must not use a ledger in a home directory
 * instead.
 *
 * @internal
 */
export function serviceStateDir(file: string): string | undefined {
  const name = /^\/etc\/sluice\/([^/]+)\.yaml$/.exec(file)?.[1]
  if (name === undefined) return undefined
  return name === 'sluice' ? '/var/lib/sluice' : `/var/lib/sluice-${name}`
}

export interface Named {
  path: Path
  /** Absolute, without symbolic links, as far as the path exists and answers. */
  real: string
  facts: PathFacts
}

/** The configuration as read, for checks that compare several parts. */
export interface WholeFile {
  value: unknown
  environment: Environment
  paths: Paths
  folders: readonly unknown[]
  /** Their real paths, in the same order. */
  real: readonly (Named | undefined)[]
}

export function wholeFile(value: unknown, environment: Environment, paths: Paths): WholeFile {
  const folders = listOf(field(value, 'folders'))
  const around = { environment, paths }
  const real = folders.map((folder, at) => named(['folders', at, 'path'], folder, around))
  return { value, ...around, folders, real }
}

/** Index of the watched folder that contains a real path, or -1. */
export function folderAround(real: string, whole: WholeFile): number {
  return whole.real.findIndex((folder) => folder && isBelow(real, folder.real))
}

/**
 * Faults of paths that a comparison on this machine shows. Reads the unchecked content, so that a
 * user sees these faults together with those of the schema. The schema reports values that are no
 * paths.
 */
export function pathFaults(whole: WholeFile): Fault[] {
  const { value, environment, paths, folders, real } = whole
  const service = field(value, 'service')
  const token_file = named(['service', 'token_file'], service, whole)
  const ca_file = named(['service', 'ca_file'], service, whole)
  const other_token = environment.token_file && paths.look(resolve(environment.token_file)).real
  return [
    ...doubleNames(folders, ['folders']),
    ...real.flatMap((folder, at) => (folder ? folderFaults(folder, real.slice(0, at)) : [])),
    ...enclosed(
      named(['state_dir'], value, whole),
      'state_dir',
      paths.look(defaultStateDir(environment)).real,
      whole,
    ),
    ...enclosed(token_file, 'the token file', other_token, whole),
    ...(ca_file ? unreadable(ca_file) : []),
  ]
}

export function doubleNames(sections: readonly unknown[], path: Path): Fault[] {
  const names = sections.map((section) => field(section, 'name'))
  return names.flatMap((name, at): Fault[] => {
    const earlier = names.indexOf(name)
    if (typeof name !== 'string' || earlier === at) return []
    return [
      { path: [...path, at, 'name'], message: `${pathText([...path, earlier])} has this name` },
    ]
  })
}

function folderFaults(
  { path, real, facts }: Named,
  earlier: readonly (Named | undefined)[],
): Fault[] {
  const faults = isFile(facts) ? [{ path, message: 'is a file, not a folder' }] : []
  for (const [index, other] of earlier.entries()) {
    if (!other) continue
    if (isBelow(real, other.real)) faults.push({ path, message: `lies inside folders[${index}]` })
    else if (isBelow(other.real, real)) faults.push({ path, message: `holds folders[${index}]` })
  }
  return faults
}

/**
 * True if the path is not a directory. A missing or unreadable path is offline, which is no fault.
 */
function isFile({ stat, code }: PathFacts): boolean {
  return stat ? stat.kind !== 'directory' : code === 'ENOTDIR'
}

/**
 * Faults of a path inside a watched folder, where it would be uploaded or would cause new uploads.
 */
function enclosed(
  written: Named | undefined,
  what: string,
  unwritten: string | undefined,
  whole: WholeFile,
): Fault[] {
  const real = written?.real ?? unwritten
  const index = real === undefined ? -1 : folderAround(real, whole)
  if (index < 0) return []
  if (written)
    return [
      { path: written.path, message: `must not lie inside a watched folder (folders[${index}])` },
    ]
  const message = `holds ${what} (${real}), which must lie outside the watched folders`
  return [{ path: whole.real[index]!.path, message }]
}

function unreadable({ path, facts: { closed } }: Named): Fault[] {
  return closed === undefined ? [] : [{ path, message: `cannot be read (${systemWords(closed)})` }]
}

export function named(
  path: Path,
  section: unknown,
  { environment, paths }: Pick<WholeFile, 'environment' | 'paths'>,
): Named | undefined {
  const text = field(section, String(path.at(-1)))
  if (typeof text !== 'string' || !/^(\/|~\/|~$)/.test(text)) return undefined
  const facts = paths.look(expandPath(text, environment.home))
  return { path, real: facts.real, facts }
}

export function field(section: unknown, name: string): unknown {
  return typeof section === 'object' && section !== null
    ? (section as Record<string, unknown>)[name]
    : undefined
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
