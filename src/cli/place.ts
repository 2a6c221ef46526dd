import { basename, dirname, join, resolve } from 'node:path'
import type { Argv } from 'yargs'
import { isBelow } from '../base/files/path-below.ts'
import type { Paths } from '../base/files/paths.ts'
import { SluiceError } from '../base/run/errors.ts'
import { shellWord } from '../base/text/format.ts'
import type { Config } from '../config/config.ts'
import { type NamedFolder, type Place, placeOf } from '../inspect/files/place.ts'
import { type GlobalOptions, words } from './command.ts'

export interface FolderWords extends GlobalOptions {
  folders: string[] | undefined
}

/** The argument `[folders..]` of commands about whole folders; foldersNamed reads it. */
export function foldersArgument(yargs: Argv<GlobalOptions>): Argv<FolderWords> {
  const folders = words('names or paths of folders of the configuration; without any, all of them')
  return yargs.positional('folders', folders)
}

/** The names of whole folders, each once; without any text, all of them. Error `usage.path`. */
export function foldersNamed(
  texts: readonly string[],
  folders: readonly NamedFolder[],
  paths: Paths,
): string[] {
  if (texts.length === 0) return folders.map(({ name }) => name)
  const hintFor = ({ folder }: Place) => `a scan is about whole folders: name ${folder}`
  const cwd = process.cwd()
  return [...new Set(texts.map((text) => wholeFolder(text, folders, cwd, hintFor, paths)))]
}

/** The name of the folder that a text means. Error `usage.path`: a part of one, or no folder. */
export function wholeFolder(
  text: string,
  folders: readonly NamedFolder[],
  cwd: string,
  hintFor: (place: Place) => string,
  paths: Paths,
): string {
  const place = placeOf(text, folders, cwd, paths)
  if (place.path === '') return place.folder
  const message = `${text} lies inside the folder ${place.folder}`
  throw new SluiceError({ code: 'usage.path', message, hint: hintFor(place) })
}

/**
 * The path of a file to write. Error `usage.target`: it is in a watched folder, where it would be
 * uploaded, or in the state directory, or it is empty or stands for standard output.
 */
export function targetFile(
  text: string,
  { folders, state_dir }: Pick<Config, 'folders' | 'state_dir'>,
  cwd: string,
  paths: Paths,
): string {
  if (text === '' || text === '-')
    throw refused(`${shellWord(text)} names no file`, 'write ./- for one called -')
  const written = resolve(cwd, text)
  const file = join(paths.look(dirname(written)).real, basename(written))
  const folder = folders.find(({ path }) => isBelow(file, paths.look(path).real))
  if (folder)
    throw refused(`${file} lies in the watched folder ${folder.name}: it would be uploaded`)
  if (isBelow(file, paths.look(state_dir).real))
    throw refused(`${file} lies in the state directory, beside the ledger itself`)
  return file
}

function refused(message: string, hint = 'name a file in another place'): SluiceError {
  return new SluiceError({ code: 'usage.target', message, hint })
}
