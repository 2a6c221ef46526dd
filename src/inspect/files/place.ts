import { homedir } from 'node:os'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import { isBelow } from '../../base/files/path-below.ts'
import { direct_paths, type Paths } from '../../base/files/paths.ts'
import { SluiceError } from '../../base/run/errors.ts'
import type { FolderConfig } from '../../config/config.ts'
import { noPlaceText } from './no-place.ts'

/** A folder of the configuration and a path in it; '' is the whole folder. */
export interface Place {
  folder: string
  path: string
}

/** Says what is at a path. */
type Looking = Pick<Paths, 'look'>

export type NamedFolder = Pick<FolderConfig, 'name' | 'path'>

/**
 * Finds the file that the user means: an absolute path, one relative to `cwd`, or a folder's name
 * and a path in it, as Sluice prints it. A file on disk decides between the last two. Error
 * `usage.path`: the path is in no configured folder.
 */
export function placeOf(
  text: string,
  folders: readonly NamedFolder[],
  cwd: string,
  paths = direct_paths,
): Place {
  const place = findPlace(text, folders, cwd, paths)
  if (place) return place
  throw inNoFolder(text, folders)
}

export function inNoFolder(text: string, folders: readonly NamedFolder[]): SluiceError {
  return new SluiceError({
    code: 'usage.path',
    message: `${text} is in no folder of the configuration`,
    hint:
      noPlaceText(text, folders) ??
      `name a file as FOLDER/PATH or by where it is; the folders are ${folders.map(({ name, path }) => `${name} (${path})`).join(', ')}`,
  })
}

/** The same; undefined for a path in no configured folder. */
export function findPlace(
  written: string,
  folders: readonly NamedFolder[],
  cwd: string,
  paths: Looking = direct_paths,
): Place | undefined {
  const text = fromHome(written, folders)
  const on_disk = placeOnDisk(resolve(cwd, text), folders, paths)
  const named = isAbsolute(text) ? undefined : placeByName(text, folders)
  return on_disk && (!named || exists(resolve(cwd, text), paths)) ? on_disk : named
}

/** `~/docs/a.txt` as a shell writes it for the user whose home has one of the folders. */
function fromHome(text: string, folders: readonly NamedFolder[]): string {
  if (!text.startsWith('~/')) return text
  const homes = folders.flatMap(({ path }) => /^(?:\/home\/[^/]+|\/root)(?=\/)/.exec(path) ?? [])
  const whole = [homedir(), ...homes].map((home) => `${home}${text.slice(1)}`)
  return whole.find((path) => folders.some((folder) => isBelow(path, folder.path))) ?? text
}

/**
 * The innermost folder that holds the path, and the path in it; undefined if none does. A link in a
 * folder is itself meant; only a link from outside is followed.
 */
function placeOnDisk(
  path: string,
  folders: readonly NamedFolder[],
  paths: Looking,
): Place | undefined {
  const in_real_parent = join(paths.look(dirname(path)).real, basename(path))
  return (
    inFolder(path, folders, paths) ??
    inFolder(in_real_parent, folders, paths) ??
    inFolder(paths.look(path).real, folders, paths)
  )
}

function inFolder(
  path: string,
  folders: readonly NamedFolder[],
  paths: Looking,
): Place | undefined {
  let best: { place: Place; root: string } | undefined
  for (const { name, path: root } of folders) {
    for (const from of [root, paths.look(root).real]) {
      const inside = relative(from, path)
      if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) continue
      if (!best || from.length > best.root.length)
        best = { place: { folder: name, path: inside }, root: from }
    }
  }
  return best?.place
}

function placeByName(text: string, folders: readonly NamedFolder[]): Place | undefined {
  const [first = '', ...rest] = text.replace(/\/+$/, '').split('/')
  return folders.some(({ name }) => name === first)
    ? { folder: first, path: rest.join('/') }
    : undefined
}

/** A path that this user may not see, or that does not answer, counts as absent. */
export function exists(path: string, paths: Looking): boolean {
  return paths.look(path).is_there
}
