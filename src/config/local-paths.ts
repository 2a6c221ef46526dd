import { accessSync, constants, realpathSync, statSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { codeOf } from '../base/errors.ts'
import type { Environment } from './environment.ts'
import { type Fault, type Path, pathText } from './faults.ts'

/** `~/notes/` -> `/home/ada/notes` */
export function expandPath(path: string, home: string): string {
  return resolve(path.replace(/^~(?=\/|$)/, home))
}

export function defaultStateDir(environment: Environment): string {
  return environment.state_directory ?? join(environment.state_home, 'sluice')
}

/** The environment that a command typed by hand has for a configuration in /etc/sluice. */
export function inService(environment: Environment, file: string): Environment {
  return { ...environment, state_directory: environment.state_directory ?? serviceStateDir(file) }
}

/**
 * That of the unit which a configuration in /etc/sluice belongs to (systemd/sluice.service, sluice@.service): a command typed by
 * hand has no STATE_DIRECTORY, and must not look for the service's ledger in a home.
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
  /** As the kernel sees it: without symbolic links, as far as it exists. */
  real: string
}

/**
 * What is wrong with the paths of a configuration, seen together and on this machine. It takes the content as it was read,
 * so that these faults are told together with those of the schema; what is not a path is left to the schema.
 */
export function pathFaults(value: unknown, environment: Environment): Fault[] {
  const service = field(value, 'service')
  const folders = listOf(field(value, 'folders')).map((folder, at) =>
    named(['folders', at, 'path'], folder, environment),
  )
  const token_file = named(['service', 'token_file'], service, environment)
  const ca_file = named(['service', 'ca_file'], service, environment)
  const state_dir = named(['state_dir'], value, environment)
  return [
    ...doubleNames(listOf(field(value, 'folders')), ['folders']),
    ...folders.flatMap((folder, at) => (folder ? folderFaults(folder, folders.slice(0, at)) : [])),
    ...enclosed(folders, state_dir, 'state_dir', realPath(defaultStateDir(environment))),
    ...enclosed(
      folders,
      token_file,
      'the token file',
      environment.token_file && realPath(resolve(environment.token_file)),
    ),
    ...(ca_file ? unreadable(ca_file) : []),
  ]
}

export function doubleNames(sections: readonly unknown[], path: Path): Fault[] {
  const first = new Map<string, number>()
  return sections.flatMap((section, at): Fault[] => {
    const name = field(section, 'name')
    if (typeof name !== 'string') return []
    const earlier = first.get(name)
    if (earlier === undefined) first.set(name, at)
    return earlier === undefined
      ? []
      : [{ path: [...path, at, 'name'], message: `${pathText([...path, earlier])} has this name` }]
  })
}

function folderFaults(folder: Named, earlier: readonly (Named | undefined)[]): Fault[] {
  const faults: Fault[] = []
  if (isFile(folder.real)) faults.push({ path: folder.path, message: 'is a file, not a folder' })
  for (const other of earlier) {
    if (!other) continue
    const index = String(other.path[1])
    if (isWithin(folder.real, other.real)) faults.push({ path: folder.path, message: `lies inside folders[${index}]` })
    else if (isWithin(other.real, folder.real)) faults.push({ path: folder.path, message: `holds folders[${index}]` })
  }
  return faults
}

/** Something other than a folder stands there. A path that is missing or cannot be looked at is offline, which is a state. */
function isFile(path: string): boolean {
  try {
    return !statSync(path).isDirectory()
  } catch (error) {
    return codeOf(error) === 'ENOTDIR'
  }
}

/** What must not lie in a watched folder: it would be sent, or change each time something is sent. */
function enclosed(
  folders: readonly (Named | undefined)[],
  written: Named | undefined,
  what: string,
  unwritten: string | undefined,
): Fault[] {
  const real = written?.real ?? unwritten
  const folder =
    real === undefined ? undefined : folders.find((candidate) => candidate && isWithin(real, candidate.real))
  if (!folder) return []
  const index = String(folder.path[1])
  if (written) return [{ path: written.path, message: `must not lie inside a watched folder (folders[${index}])` }]
  return [{ path: folder.path, message: `holds ${what} (${real}), which must lie outside the watched folders` }]
}

function unreadable({ path, real }: Named): Fault[] {
  try {
    accessSync(real, constants.R_OK)
    return []
  } catch (error) {
    return [{ path, message: `cannot be read (${codeOf(error)})` }]
  }
}

export function named(path: Path, section: unknown, { home }: Environment): Named | undefined {
  const text = field(section, String(path.at(-1)))
  if (typeof text !== 'string' || !/^(\/|~\/|~$)/.test(text)) return undefined
  return { path, real: realPath(expandPath(text, home)) }
}

/** Resolves symbolic links as far as the path exists; the rest stays as written. */
export function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    const parent = dirname(path)
    return parent === path ? path : join(realPath(parent), basename(path))
  }
}

export function isWithin(path: string, folder: string): boolean {
  const way = relative(folder, path)
  return way === '' || (way !== '..' && !way.startsWith('../'))
}

export function field(section: unknown, name: string): unknown {
  return typeof section === 'object' && section !== null ? (section as Record<string, unknown>)[name] : undefined
}

export function listOf(value: unknown): unknown[] {
  return Array.isArray(value) ? value : []
}
