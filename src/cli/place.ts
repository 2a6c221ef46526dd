import { lstatSync } from 'node:fs'
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from 'node:path'
import type { Argv } from 'yargs'
import { isBelow } from '../base/files/path-below.ts'
import { SluiceError } from '../base/run/errors.ts'
import type { Config, FolderConfig } from '../config/config.ts'
import { realPath } from '../config/resolve/local-paths.ts'
import { type GlobalOptions, words } from './command.ts'

/** A folder of the configuration and a path in it; '' is the whole folder. */
export interface Place {
  folder: string
  path: string
}

type NamedFolder = Pick<FolderConfig, 'name' | 'path'>

/**
 * Finds the file that the user means: an absolute path, one relative to `cwd`, or a folder's name
 * and a path in it, as Sluice prints it. A file on disk decides between the last two. Error
 * `usage.path`: the path is in no configured folder.
 */
export function placeOf(text: string, folders: readonly NamedFolder[], cwd: string): Place {
  const place = findPlace(text, folders, cwd)
  if (place) return place
  throw new SluiceError({
    code: 'usage.path',
    message: `${text} is in no folder of the configuration`,
    hint: `name a file as FOLDER/PATH or by where it is; the folders are ${folders.map(({ name, path }) => `${name} (${path})`).join(', ')}`,
  })
}

/** The same; undefined for a path in no configured folder. */
export function findPlace(text: string, folders: readonly NamedFolder[], cwd: string): Place | undefined {
  const on_disk = placeOnDisk(resolve(cwd, text), folders)
  const named = isAbsolute(text) ? undefined : placeByName(text, folders)
  return on_disk && (!named || exists(resolve(cwd, text))) ? on_disk : named
}

export interface FolderWords extends GlobalOptions {
  folders: string[] | undefined
}

/** The argument `[folders..]` of commands about whole folders; foldersNamed reads it. */
export function foldersArgument(yargs: Argv<GlobalOptions>): Argv<FolderWords> {
  const folders = words('names or paths of folders of the configuration; without any, all of them')
  return yargs.positional('folders', folders)
}

/** The names of whole folders, each once; without any text, all of them. Error `usage.path`. */
export function foldersNamed(texts: readonly string[], folders: readonly NamedFolder[]): string[] {
  if (texts.length === 0) return folders.map(({ name }) => name)
  const hintFor = ({ folder }: Place) => `a scan is about whole folders: name ${folder}`
  return [...new Set(texts.map((text) => wholeFolder(text, folders, process.cwd(), hintFor)))]
}

/** The name of the folder that a text means. Error `usage.path`: a part of one, or no folder. */
export function wholeFolder(
  text: string,
  folders: readonly NamedFolder[],
  cwd: string,
  hintFor: (place: Place) => string,
): string {
  const place = placeOf(text, folders, cwd)
  if (place.path === '') return place.folder
  const message = `${text} lies inside the folder ${place.folder}`
  throw new SluiceError({ code: 'usage.path', message, hint: hintFor(place) })
}

/**
 * The innermost folder that holds the path, and the path in it; undefined if none does. A link in a
 * folder is itself meant; only a link from outside is followed.
 */
function placeOnDisk(path: string, folders: readonly NamedFolder[]): Place | undefined {
  const in_real_parent = join(realPath(dirname(path)), basename(path))
  return inFolder(path, folders) ?? inFolder(in_real_parent, folders) ?? inFolder(realPath(path), folders)
}

function inFolder(path: string, folders: readonly NamedFolder[]): Place | undefined {
  let best: { place: Place; root: string } | undefined
  for (const { name, path: root } of folders) {
    for (const from of [root, realPath(root)]) {
      const inside = relative(from, path)
      if (inside === '..' || inside.startsWith(`..${sep}`) || isAbsolute(inside)) continue
      if (!best || from.length > best.root.length) best = { place: { folder: name, path: inside }, root: from }
    }
  }
  return best?.place
}

function placeByName(text: string, folders: readonly NamedFolder[]): Place | undefined {
  const [first = '', ...rest] = text.replace(/\/+$/, '').split('/')
  return folders.some(({ name }) => name === first) ? { folder: first, path: rest.join('/') } : undefined
}

/** A path that this user may not see counts as absent. */
export function exists(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/**
 * The path of a file to write. Error `usage.target`: it is in a watched folder, where it would be
 * uploaded, or in the state directory.
 */
export function targetFile(
  text: string,
  { folders, state_dir }: Pick<Config, 'folders' | 'state_dir'>,
  cwd: string,
): string {
  const written = resolve(cwd, text)
  const file = join(realPath(dirname(written)), basename(written))
  const folder = folders.find(({ path }) => isBelow(file, realPath(path)))
  if (folder) throw refused(`${file} lies in the watched folder ${folder.name}: it would be uploaded`)
  if (isBelow(file, realPath(state_dir))) throw refused(`${file} lies in the state directory, beside the ledger itself`)
  return file
}

function refused(message: string): SluiceError {
  return new SluiceError({ code: 'usage.target', message, hint: 'name a file in another place' })
}
