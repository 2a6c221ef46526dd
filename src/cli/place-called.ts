import { isAbsolute, join } from 'node:path'
import type { Paths } from '../base/files/paths.ts'
import { isSluiceError, SluiceError } from '../base/run/errors.ts'
import { counted, formatCount, printable, shellWord } from '../base/text/format.ts'
import type { Config } from '../config/config.ts'
import { behindDrive, noPlaceText } from '../inspect/files/no-place.ts'
import { findPlace, inNoFolder, type Place } from '../inspect/files/place.ts'
import { knownAtEnd } from '../page/reads/known-at-end.ts'
import { refuseNoPath } from '../page/reads/place-asked.ts'
import { placesCalled } from '../page/reads/places-called.ts'
import { onPaths } from './on-paths.ts'
import type { Terminal } from './text/terminal.ts'

interface Asking {
  terminal: Terminal
  /** Earlier answers of the disk. */
  paths: Paths
  /** A part of a name names no file: for commands that change something. */
  whole_names?: boolean
}

/** Names in one hint. */
const max_named = 10

/**
 * A text of the user as it is, if it is a place or a pattern; else where the one file is that it is
 * the name of. Errors: those of `placeCalled`.
 */
export async function wherePlaced(text: string, config: Config, asking: Asking): Promise<string> {
  if (/[*?[]/.test(text)) return text
  refuseNoPath(text)
  const { folders } = config
  const cwd = process.cwd()
  const work = (paths: Paths) => findPlace(text, folders, cwd, paths)
  if (await onPaths(asking.terminal, work, asking.paths)) return text
  const { folder, path } = await placeCalled(text, config, asking).catch((error: unknown) => {
    const is_name = !text.includes('/')
    throw is_name || !isSluiceError(error, 'answer.unknown_path')
      ? error
      : inNoFolder(text, folders)
  })
  return join(folders.find(({ name }) => name === folder)!.path, path)
}

/**
 * The one file or directory that this is the name of, or a part of it. Errors: `usage.path`,
 * `answer.unknown_path`.
 */
export async function placeCalled(query: string, config: Config, asking: Asking): Promise<Place> {
  const { state_dir, folders } = config
  const rest = behindDrive(query)
  const at_end = rest && (await knownAtEnd(rest, { state_dir, folders, sees: undefined }))
  if (at_end) return at_end
  if (rest !== undefined || isAbsolute(query) || query.startsWith('..'))
    throw inNoFolder(query, folders)
  const { terminal, paths, whole_names = false } = asking
  const over = { state_dir, folders, limit: max_named, counts: true, sees: undefined, whole_names }
  const { places, total } = await placesCalled(query, over, (work) =>
    onPaths(terminal, work, paths),
  )
  const [place, ...others] = places
  if (!place)
    throw noPlaceText(query, folders) ? inNoFolder(query, folders) : unknownName(query, folders)
  if (others.length === 0) return place
  const names = places.map(({ folder, path }) => shellWord(`${folder}/${path}`)).join(', ')
  const more = total - places.length
  throw new SluiceError({
    code: 'usage.path',
    message: `${printable(query)} may be ${counted(total, 'file')}`,
    hint: `name one of them: ${names}${more > 0 ? ` and ${formatCount(more)} more` : ''}`,
  })
}

function unknownName(query: string, folders: Config['folders']): SluiceError {
  const names = folders.map(({ name }) => name).join(', ')
  return new SluiceError({
    code: 'answer.unknown_path',
    message: `no file called ${printable(query)} is known in these folders: ${names}`,
    hint: `none has it in its first level; a file that a rule leaves out below needs its whole path, such as ${folders[0]!.name}/PATH`,
  })
}
