import type { Paths } from '../../base/files/paths.ts'
import { withoutQuotes } from '../../inspect/files/no-place.ts'
import type { NamedFolder, Place } from '../../inspect/files/place.ts'
import { type NameAsked, placesAtTop } from '../../inspect/files/places-at-top.ts'
import { type Stage, stages } from '../../ledger/views/view-files.ts'
import { pathAsked } from './path-asked.ts'
import { type FilesSearch, withSearchView } from './search-files.ts'
import { nameFinder } from './search-words.ts'

interface Over extends Pick<FilesSearch, 'folders' | 'sees'> {
  state_dir: string
  /** Places that the answer names. */
  limit: number
  /** Counts all places, which reads every row. */
  counts: boolean
  /** Finds no parts of names. */
  whole_names?: boolean
}

/** Asks the disk, with what the user hears of it. */
type Ask = (work: (paths: Paths) => Place[]) => Promise<Place[]>

/** Files and directories that have a name, or part of it. */
export interface Called {
  /** At most `limit`. */
  places: readonly Place[]
  /** Without `counts`: more than `limit` if there are more. */
  total: number
  /** True if one of them is known from the disk alone: no search of known files finds it. */
  from_disk: boolean
  are_gone: boolean
}

/**
 * What a text may mean that is no place: the known files and directories of this name, and what has
 * it in the first level of a folder; else deleted files of this name; else files that have it as a
 * part of theirs.
 */
export async function placesCalled(text: string, over: Over, ask: Ask): Promise<Called> {
  const known = await placesNamed(text, [], over)
  const at_top = await ask((paths) => placesCalledAtTop(text, over.folders, paths))
  const isKnown = (place: Place) =>
    known.some(({ folder, path }) => folder === place.folder && path === place.path)
  const others = at_top.filter((place) => !isKnown(place))
  const named = [...others, ...known]
  if (named.length > 0) return calledOf(named, over, { from_disk: others.length > 0 })
  const gone = await placesNamed(text, ['gone'], over)
  if (gone.length > 0) return calledOf(gone, over, { are_gone: true })
  if (over.whole_names) return calledOf([], over, {})
  const found = await withSearchView(over.state_dir, async (view) => {
    const present = await view?.search({ ...over, query: text, stages: [] })
    return present?.files.length === 0 ? view?.search({ ...over, query: text, stages }) : present
  })
  const { files = [], next, total } = found ?? {}
  const are_gone = files[0]?.stage === 'gone'
  const called = calledOf(files, over, { are_gone })
  return { ...called, total: total ?? files.length + (next ? 1 : 0) }
}

/** What has this name in the first level of a folder. */
export function placesCalledAtTop(
  text: string,
  folders: readonly NamedFolder[],
  paths: Pick<Paths, 'look' | 'list'>,
): Place[] {
  return placesAtTop(nameAsked(text), folders, paths)
}

function calledOf(
  places: readonly Place[],
  { limit }: Over,
  { from_disk = false, are_gone = false }: Partial<Called>,
): Called {
  return { places: places.slice(0, limit), total: places.length, from_disk, are_gone }
}

/** A pattern is no name, except for a file that is called so. */
function nameAsked(text: string): NameAsked {
  const withoutSlash = (path: string) => path.replace(/(?<=.)\/$/, '')
  const name = withoutSlash(pathAsked(text))
  const finder = nameFinder(name)
  const fits = name.includes('*') ? () => false : (path: string) => path.search(finder) === 0
  return { typed: withoutSlash(withoutQuotes(text)), name, fits }
}

/** Known files of this name, and directories of known files. */
async function placesNamed(text: string, wanted: readonly Stage[], over: Over): Promise<Place[]> {
  const { name } = nameAsked(text)
  if (name === '' || name.includes('*')) return []
  const { state_dir, folders, sees, limit, counts } = over
  const finder = nameFinder(name)
  const is_gone = wanted.includes('gone')
  const found = new Map<string, Place>()
  const fits = (path: string, folder: string) => {
    for (const { index, 0: part } of path.matchAll(finder)) {
      const place = { folder, path: path.slice(0, index + part.length) }
      // Of a deleted directory nothing is known but its files.
      if (!is_gone || place.path === path) found.set(`${folder}/${place.path}`, place)
    }
    // Files that fit end the search.
    return !counts && found.size > limit
  }
  const wish = { folders, query: name, stages: wanted, sees, limit: 1, fits }
  await withSearchView(state_dir, (view) => view?.search(wish))
  return [...found.values()]
}
