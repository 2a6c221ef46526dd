import { join } from 'node:path'
import { direct_paths } from '../../base/files/paths.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { pathMatcher, refuseNegated } from '../../base/text/ignore-patterns.ts'
import { isoTime, isoTimeOrNull } from '../../base/time/time.ts'
import type { FolderConfig } from '../../config/config.ts'
import { type Reading, readingText } from '../../domain/reading.ts'
import type { LedgerView } from '../../ledger/views/view.ts'
import { type FileView, type StageWanted, stages } from '../../ledger/views/view-files.ts'
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
  cwd: string,
  paths = direct_paths,
): NamedFiles[] {
  if (!/[*?[]/.test(text)) return [placeOf(text, folders, cwd, paths)]
  const place = findPlace(text, folders, cwd, paths)
  if (place && isThere(place, folders, view, paths)) return [place]
  refuseNegated([text])
  if (place && text.includes('/'))
    return [{ folder: place.folder, path: '', matches: pathMatcher([`/${place.path}`]) }]
  return folders.map(({ name }) => ({ folder: name, path: '', matches: pathMatcher([text]) }))
}

/** True for a file or directory that is on disk or in the ledger. */
export function isThere(
  { folder, path }: Place,
  folders: readonly FolderConfig[],
  view: LedgerView | undefined,
  paths = direct_paths,
): boolean {
  const root = folders.find(({ name }) => name === folder)!.path
  return (
    exists(join(root, path), paths) ||
    view?.files({ folder, prefix: path, stages, limit: 1, after: undefined })[0] !== undefined
  )
}

/** Rows read at a time, never a million in memory. */
const page_files = 1_000

/** The known files, page by page. No stages: all except `gone`. */
export function* knownFiles(
  view: LedgerView,
  named: readonly NamedFiles[],
  wanted: readonly StageWanted[],
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

/** A file as JSON. Times are ISO 8601 UTC; null: not known, or none. */
export function fileAnswer({
  folder,
  path,
  stage,
  size,
  mtime_ns,
  reason,
  detail,
  asset_id,
  ready_ms,
  reading,
}: FileView) {
  return {
    folder,
    path,
    state: stage,
    size,
    modified: isoTime(Number(mtime_ns / 1_000_000n)),
    reason: reason ?? null,
    detail: detail ?? null,
    asset_id: asset_id ?? null,
    ready: isoTimeOrNull(ready_ms),
    reading: readingAnswer(reading),
  }
}

/** Null if nothing says how much of it was read. */
export function readingAnswer(reading: Reading | undefined) {
  if (reading === undefined) return null
  const { of, seen, unit = null, why = null } = reading
  return { of, seen, unit, why, text: readingText(reading) ?? null }
}

export function nothingMatches(pattern: string): SluiceError {
  const message = `${pattern} matches no file that Sluice knows`
  const hint =
    "'*.pdf' matches at any depth, 'FOLDER/contracts/**' below one directory; `sluice ls` lists all known files"
  return new SluiceError({ code: 'usage.path', message, hint })
}
