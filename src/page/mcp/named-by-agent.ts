import { askingPaths } from '../../base/files/ask-paths.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { didYouMeanText, knownAre } from '../../base/text/did-you-mean.ts'
import { counted, printable } from '../../base/text/format.ts'
import { parseTime_ms } from '../../base/time/parse-time.ts'
import type { Config } from '../../config/config.ts'
import { parseDuration_ms } from '../../config/schema/units.ts'
import { noPlaceText } from '../../inspect/files/no-place.ts'
import type { Place } from '../../inspect/files/place.ts'
import { type FileView, stages } from '../../ledger/views/view-files.ts'
import { noLedgerYet } from '../../status/with-view.ts'
import { configFor, seenBy, type Viewer } from '../access/viewer.ts'
import { isElsewhere, pathAsked } from '../reads/path-asked.ts'
import { placeAsked } from '../reads/place-asked.ts'
import { placesCalled, placesCalledAtTop } from '../reads/places-called.ts'
import { type Cursor, type FilesSearch, withSearchView } from '../reads/search-files.ts'
import type { Cursors } from './cursors.ts'

/** Files that an error names. */
const max_named = 20

/** The user of an agent, and what there is to read. */
export interface Reader {
  config: Config
  viewer: Viewer
}

/** How much one answer has, and where it begins. */
export interface Page {
  limit: number
  cursor?: string | undefined
  cursors: Cursors
}

/** A page of files; `total` is that of all pages. */
export interface Listed {
  files: FileView[]
  total: number
  /** Null on the last page. */
  next_cursor: string | null
}

type Wanted = Pick<FilesSearch, 'folders' | 'query' | 'stages' | 'since_ms' | 'fits'>

/** The first page counts all, and the later ones take its number over. */
type After = Cursor & { total: number }

/** The files that the search of the page finds. Errors `answer.no_ledger`, `usage.cursor`. */
export async function search(
  { config: { state_dir }, viewer }: Reader,
  wanted: Wanted,
  { limit, cursor, cursors }: Page,
): Promise<Listed> {
  const after = cursors.at<After>(cursor)
  const sees = seenBy(viewer)
  const { files, next, ...counted } = await withSearchView(state_dir, (view) =>
    inPlace(view, state_dir).search({ ...wanted, limit, after, counts: !after, sees }),
  )
  const total = after?.total ?? counted.total!
  if (!next) return { files, total, next_cursor: null }
  const { folder, path, seq } = next
  return { files, total, next_cursor: cursors.of({ folder, path, seq, total } satisfies After) }
}

/** The files at a path, else those of this name, else those of a search. Error `usage.path`. */
export async function filesMeant(text: string, reader: Reader, page: Page): Promise<Listed> {
  const place = await placeAsked(text, reader)
  if (!place) refuseOutside(text, reader)
  const found = place ? await filesAt(place, reader, page) : await filesCalled(text, reader, page)
  if (found.total > 0) return found
  throw nothingKnown(text, reader)
}

/** Error `usage.path`: the text is a path, and in none of their folders. */
function refuseOutside(text: string, { config, viewer }: Reader): void {
  if (!isElsewhere(text) && !pathAsked(text).startsWith('../')) return
  const { folders } = configFor(config, viewer)
  throw new SluiceError({
    code: 'usage.path',
    message: `${printable(text)} is in no folder that you may see`,
    hint:
      noPlaceText(text, folders) ??
      'Sluice takes up no file from there, and has not looked whether there is one; search_files finds parts of names in your folders',
  })
}

function nothingKnown(text: string, { config, viewer }: Reader): SluiceError {
  const { folders } = configFor(config, viewer)
  return new SluiceError({
    code: 'usage.path',
    message: `nothing is known of ${printable(text)} in the folders that you may see`,
    hint: noPlaceText(text, folders) ?? nextStep(folders),
  })
}

/** Says what to ask instead of a name that no file has. */
function nextStep(folders: Config['folders']): string {
  if (folders.length === 0) return 'you may see no folder yet: ask the administrator for one'
  const names = folders.slice(0, max_named).map(({ name }) => name)
  return `if it lies below the first level, give its whole place as FOLDER/PATH (folders: ${printable(names.join(', '))}), to hear whether a rule leaves it out; search_files finds parts of names`
}

async function filesAt({ folder, path }: Place, reader: Reader, page: Page): Promise<Listed> {
  const { config, viewer } = reader
  const [first] = await withSearchView(config.state_dir, (view) =>
    inPlace(view, config.state_dir).fileAt(folder, path, seenBy(viewer)),
  )
  if (first?.path === path) return { files: [first], total: 1, next_cursor: null }
  const folders = config.folders.filter(({ name }) => name === folder)
  const fits = (below: string) => path === '' || below.startsWith(`${path}/`)
  return search(reader, { folders, query: '', stages, fits }, page)
}

async function filesCalled(text: string, reader: Reader, page: Page): Promise<Listed> {
  const { folders } = configFor(reader.config, reader.viewer)
  const wanted = { folders, query: text, stages }
  const fits = (path: string) => `/${path}`.endsWith(`/${text}`)
  const exact = await search(reader, { ...wanted, fits }, { limit: 1, cursors: page.cursors })
  return search(reader, exact.total > 0 ? { ...wanted, fits } : wanted, page)
}

function inPlace<View>(view: View | undefined, state_dir: string): View {
  if (view) return view
  throw new SluiceError({ code: 'answer.no_ledger', message: noLedgerYet(state_dir) })
}

/** What a text that no known file has may mean on the disk: the rules say more about it. */
export async function placesNotRecorded(text: string, reader: Reader): Promise<Place[]> {
  const place = await placeAsked(text, reader)
  if (place) return [place]
  const { folders } = configFor(reader.config, reader.viewer)
  return askingPaths((paths) => placesCalledAtTop(text, folders, paths))
}

/** The one file that a text means. Error `usage.path`. */
export async function placeMeant(text: string, reader: Reader): Promise<Place> {
  const place = await placeAsked(text, reader)
  if (place) return place
  refuseOutside(text, reader)
  const { config, viewer } = reader
  const { folders, state_dir } = configFor(config, viewer)
  const over = { folders, state_dir, limit: max_named, counts: true, sees: seenBy(viewer) }
  const { places, total } = await placesCalled(text, over, askingPaths)
  if (total === 0) throw nothingKnown(text, reader)
  if (total === 1) return places[0]!
  throw new SluiceError({
    code: 'usage.path',
    message: `${printable(text)} may be ${counted(total, 'file')}`,
    hint: `name one of them: ${places.map(nameOf).join(', ')}`,
  })
}

/** The folders that an answer is about; all without any name. Error `usage.folder`. */
export function foldersMeant(names: readonly string[], { folders }: Config): Config['folders'] {
  const unknown = names.find((name) => !folders.some((folder) => folder.name === name))
  if (unknown === undefined)
    return names.length === 0 ? folders : folders.filter(({ name }) => names.includes(name))
  const message = `there is no folder ${printable(unknown)}, or you may not see it`
  const known = folders.map(({ name }) => name)
  throw new SluiceError({
    code: 'usage.folder',
    message,
    hint: didYouMeanText(unknown, known, knownAre('folder', known)),
  })
}

/** Unix ms of a time, or of a span before now. Error `usage.invalid`. */
export function timeOf(text: string, now_ms: number): number {
  const span_ms = parseDuration_ms(text)
  if (span_ms >= 0) return now_ms - span_ms
  const time_ms = parseTime_ms(text)
  if (!Number.isNaN(time_ms)) return time_ms
  const message = `since takes a time such as 2026-11-23T08:00:00Z, or a span such as 24h or 7d, not ${printable(text)}`
  throw new SluiceError({ code: 'usage.invalid', message })
}

export function nameOf({ folder, path }: Place): string {
  return printable(path === '' ? folder : `${folder}/${path}`)
}
