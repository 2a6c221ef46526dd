import { join } from 'node:path'
import { SluiceError } from '../base/run/errors.ts'
import { pathMatcher } from '../base/text/ignore-patterns.ts'
import type { FolderConfig } from '../config/config.ts'
import type { LedgerView } from '../ledger/views/view.ts'
import { type FileView, type Stage, stages } from '../ledger/views/view-files.ts'
import { exists, findPlace, type Place, placeOf } from './place.ts'

/** A place, or the files of a folder that a pattern matches. */
export interface NamedFiles extends Place {
  matches?: (path: string) => boolean
}

/**
 * The files that a text of the user names. A pattern such as `*.pdf` or `contracts/**` follows
 * gitignore(5). It is about all folders, or about one whose path or name it begins with. The path
 * of a file on disk or in the ledger is no pattern. Error `usage.path`: it is in no folder.
 */
export function filesNamedBy(
  text: string,
  folders: readonly FolderConfig[],
  view: LedgerView | undefined,
): NamedFiles[] {
  const cwd = process.cwd()
  if (!/[*?[]/.test(text)) return [placeOf(text, folders, cwd)]
  const place = findPlace(text, folders, cwd)
  if (place && isThere(place, folders, view)) return [place]
  if (place && text.includes('/')) return [{ folder: place.folder, path: '', matches: pathMatcher([`/${place.path}`]) }]
  return folders.map(({ name }) => ({ folder: name, path: '', matches: pathMatcher([text]) }))
}

function isThere({ folder, path }: Place, folders: readonly FolderConfig[], view: LedgerView | undefined): boolean {
  const root = folders.find(({ name }) => name === folder)!.path
  return (
    exists(join(root, path)) ||
    view?.files({ folder, prefix: path, stages, limit: 1, after: undefined })[0] !== undefined
  )
}

/** Rows read at a time, never a million in memory. */
const page_files = 1_000

/** The known files, page by page. No stages: all except `gone`. */
export function* knownFiles(
  view: LedgerView,
  named: readonly NamedFiles[],
  wanted: readonly Stage[],
): Generator<FileView[]> {
  for (const { folder, path, matches } of named) {
    for (let after: string | undefined; ; ) {
      const page = view.files({ folder, prefix: path, stages: wanted, after, limit: page_files })
      const found = matches ? page.filter((file) => matches(file.path)) : page
      if (found.length > 0) yield found
      if (page.length < page_files) break
      after = page.at(-1)!.path
    }
  }
}

export function nothingMatches(pattern: string): SluiceError {
  const message = `${pattern} matches no file that Sluice knows`
  const hint =
    "'*.pdf' matches at any depth, 'FOLDER/contracts/**' below one directory; `sluice ls` lists all known files"
  return new SluiceError({ code: 'usage.path', message, hint })
}
