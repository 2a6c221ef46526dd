import { formatCount } from '../../base/text/format.ts'
import type { ReasonPlace } from '../../ledger/views/view-reasons.ts'

/** Few enough to read. `sluice ls` has all files. */
const max_places = 3

/**
 * Says where `total` files are: the directories with most of them first, and the name of a file
 * that is alone in its directory. `places`: some of them, the largest first.
 */
export function placesText(places: readonly ReasonPlace[], total: number): string {
  const shown = places.slice(0, max_places)
  const rest = total - shown.reduce((sum, { files }) => sum + files, 0)
  const texts = shown.map(({ directory, files, example }) => {
    if (files === 1) return example
    return files === total ? `in ${directory}` : `${formatCount(files)} in ${directory}`
  })
  return texts.join(', ') + (rest > 0 ? ` and ${formatCount(rest)} elsewhere` : '')
}

/** The same for a list of paths. `root`: a name for the directory that they are relative to. */
export function pathPlacesText(root: string, paths: readonly string[], total: number): string {
  const places = new Map<string, ReasonPlace>()
  for (const path of paths) {
    const directory = root + path.slice(0, path.lastIndexOf('/', path.length - 2) + 1)
    const place = places.get(directory) ?? { directory, files: 0, example: root + path }
    places.set(directory, place)
    place.files++
  }
  const sorted = [...places.values()].sort((a, b) => b.files - a.files)
  return placesText(sorted, total)
}
