import { posix } from 'node:path'
import type { Place } from '../../inspect/files/place.ts'
import { type FilesSearch, withSearchView } from './search-files.ts'

/** More files than one path can end in, in folders that lie in one another. */
const max_found = 100

/**
 * The known file that a path of another machine ends in, such as `sub/a.txt` for `Team/sub/a.txt`.
 * Case does not matter, as on Windows. The longest end counts; undefined if two files have it.
 */
export async function knownAtEnd(
  path: string,
  { state_dir, ...over }: Pick<FilesSearch, 'folders' | 'sees'> & { state_dir: string },
): Promise<Place | undefined> {
  const whole = `/${plain(path)}`
  const fits = (below: string) => whole.endsWith(`/${plain(below)}`)
  const wanted = { ...over, query: posix.basename(path), stages: [], limit: max_found, fits }
  const found = await withSearchView(state_dir, (view) => view?.search(wanted))
  const ends = (found?.files ?? []).map((file) => {
    const named = plain(`${file.folder}/${file.path}`)
    return { file, length: whole.endsWith(`/${named}`) ? named.length : plain(file.path).length }
  })
  const longest = Math.max(...ends.map(({ length }) => length))
  const [only, ...others] = ends.filter(({ length }) => length === longest)
  return others.length === 0 && found?.next === undefined ? only?.file : undefined
}

function plain(path: string): string {
  return path.normalize('NFC').toLowerCase()
}
