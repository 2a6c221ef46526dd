import { lstatSync, realpathSync } from 'node:fs'
import { isAbsolute, relative, resolve, sep } from 'node:path'
import type { Argv } from 'yargs'
import { SluiceError } from '../base/run/errors.ts'
import type { FolderConfig } from '../config/config.ts'
import type { GlobalOptions } from './command.ts'

/** A folder of the configuration and a path in it; '' is the whole folder. */
export interface Place {
  folder: string
  path: string
}

type NamedFolder = Pick<FolderConfig, 'name' | 'path'>

/**
 * What a person means by a path: an absolute one, one relative to `cwd`, or a folder's name and the path in it, as everything
 * that Sluice prints has it. What is there on disk decides between the last two. Error `usage.path`: no configured folder has it.
 */
export function placeOf(text: string, folders: readonly NamedFolder[], cwd: string): Place {
  const on_disk = placeOnDisk(resolve(cwd, text), folders)
  const named = isAbsolute(text) ? undefined : placeByName(text, folders)
  if (on_disk && (!named || exists(resolve(cwd, text)))) return on_disk
  if (named) return named
  throw new SluiceError({
    code: 'usage.path',
    message: `${text} is in no folder of the configuration`,
    hint: `name a file as FOLDER/PATH or by where it is; the folders are ${folders.map(({ name, path }) => `${name} (${path})`).join(', ')}`,
  })
}

export interface FolderWords extends GlobalOptions {
  folders: string[] | undefined
}

/** The argument `[folders..]` of commands about whole folders; foldersNamed reads it. */
export function foldersArgument(yargs: Argv<GlobalOptions>): Argv<FolderWords> {
  return yargs.positional('folders', {
    type: 'string',
    array: true,
    describe: 'names or paths of folders of the configuration; without any, all of them',
  })
}

/** The names of whole folders, each once; without any text, all of them. Error `usage.path`. */
export function foldersNamed(texts: readonly string[], folders: readonly NamedFolder[]): string[] {
  if (texts.length === 0) return folders.map(({ name }) => name)
  const names = texts.map((text) => {
    const { folder, path } = placeOf(text, folders, process.cwd())
    if (path === '') return folder
    throw new SluiceError({
      code: 'usage.path',
      message: `${text} lies inside the folder ${folder}: a scan is about whole folders`,
      hint: `name the folder: ${folder}`,
    })
  })
  return [...new Set(names)]
}

/** The folder that is nearest to the path, where one lies in another. */
function placeOnDisk(path: string, folders: readonly NamedFolder[]): Place | undefined {
  let best: { place: Place; root: string } | undefined
  for (const { name, path: root } of folders) {
    for (const [at, from] of [
      [path, root],
      [realPath(path), realPath(root)],
    ] as const) {
      const inside = relative(from, at)
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

/** What this user may not see counts as absent. */
function exists(path: string): boolean {
  try {
    lstatSync(path)
    return true
  } catch {
    return false
  }
}

/** With its links resolved; a path that is not there stays as it is. */
function realPath(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    // Gone, or unreadable: its written form is all there is.
    return path
  }
}
