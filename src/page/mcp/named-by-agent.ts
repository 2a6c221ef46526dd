import { SluiceError } from '../../base/run/errors.ts'
import { didYouMeanText } from '../../base/text/did-you-mean.ts'
import { counted, printable } from '../../base/text/format.ts'
import type { Config } from '../../config/config.ts'
import { parseDuration_ms } from '../../config/schema/units.ts'
import type { Place } from '../../inspect/files/place.ts'
import { type FileView, stages } from '../../ledger/views/view-files.ts'
import { noLedgerYet, withLedgerView } from '../../status/with-view.ts'
import { configFor, seenBy, type Viewer } from '../access/viewer.ts'
import { placeAsked } from '../reads/place-asked.ts'
import { type FilesSearch, type Found, withSearchView } from '../reads/search-files.ts'

/** Files that a name may mean in one answer. */
const max_meant = 20
/** Files among which those are searched that have the whole name. */
const max_searched = 1_000

/** The user of an agent, and what there is to read. */
export interface Reader {
  config: Config
  viewer: Viewer
}

/** Files, and whether there are more. */
export type Listed = Pick<Found, 'files' | 'next'>

/** The files that the search of the page finds. Error `answer.no_ledger`. */
export function search(
  { config: { state_dir }, viewer }: Reader,
  wanted: Omit<FilesSearch, 'sees'>,
): Promise<Listed> {
  return withSearchView(state_dir, (view) =>
    inPlace(view, state_dir).search({ ...wanted, sees: seenBy(viewer) }),
  )
}

/** The files at a path, else those of this name, else those of a search. Error `usage.path`. */
export async function filesMeant(text: string, reader: Reader): Promise<Listed> {
  const place = await placeAsked(text, reader)
  const found = place ? await filesAt(place, reader) : await filesCalled(text, reader)
  if (found.length > 0) return { files: found.slice(0, max_meant), next: found[max_meant] }
  throw new SluiceError({
    code: 'usage.path',
    message: `nothing is known of ${printable(text)} in the folders that you may see`,
    hint: 'why_not with FOLDER/PATH says whether a rule leaves it out',
  })
}

function filesAt(
  { folder, path: prefix }: Place,
  { config: { state_dir }, viewer }: Reader,
): Promise<FileView[]> {
  const limit = max_meant + 1
  const wanted = { folder, prefix, stages, after: undefined, limit, sees: seenBy(viewer) }
  return withLedgerView(state_dir, (view) => inPlace(view, state_dir).files(wanted))
}

async function filesCalled(text: string, reader: Reader): Promise<FileView[]> {
  const { files } = await search(reader, {
    folders: configFor(reader.config, reader.viewer).folders,
    query: text,
    stages,
    limit: max_searched,
  })
  const exact = files.filter(({ path }) => `/${path}`.endsWith(`/${text}`))
  return exact.length > 0 ? exact : files
}

function inPlace<View>(view: View | undefined, state_dir: string): View {
  if (view) return view
  throw new SluiceError({ code: 'answer.no_ledger', message: noLedgerYet(state_dir) })
}

/** The one file that a text means. Error `usage.path`. */
export async function placeMeant(text: string, reader: Reader): Promise<Place> {
  const place = await placeAsked(text, reader)
  if (place) return place
  const { files } = await filesMeant(text, reader)
  if (files.length === 1) return files[0]!
  throw new SluiceError({
    code: 'usage.path',
    message: `${printable(text)} may be ${counted(files.length, 'file')}`,
    hint: `name one of them: ${files.map(nameOf).join(', ')}`,
  })
}

/** The folders that an answer is about; all without any name. Error `usage.folder`. */
export function foldersMeant(names: readonly string[], { folders }: Config): Config['folders'] {
  const unknown = names.find((name) => !folders.some((folder) => folder.name === name))
  if (unknown === undefined)
    return names.length === 0 ? folders : folders.filter(({ name }) => names.includes(name))
  const message = `there is no folder ${printable(unknown)}, or you may not see it`
  const known = folders.map(({ name }) => name)
  throw new SluiceError({ code: 'usage.folder', message, hint: didYouMeanText(unknown, known) })
}

/** Unix ms of a time, or of a span before now. Error `usage.invalid`. */
export function timeOf(text: string, now_ms: number): number {
  const span_ms = parseDuration_ms(text)
  if (span_ms >= 0) return now_ms - span_ms
  const time_ms = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN
  if (!Number.isNaN(time_ms)) return time_ms
  const message = `since takes a time such as 2026-11-23T08:00:00Z, or a span such as 24h or 7d, not ${printable(text)}`
  throw new SluiceError({ code: 'usage.invalid', message })
}

export function nameOf({ folder, path }: Place): string {
  return printable(path === '' ? folder : `${folder}/${path}`)
}
