import { formatCount } from '../../base/text/format.ts'
import type { ReasonPlace } from '../../ledger/views/view-reasons.ts'

/** Few enough to read. `sluice ls` has all files. */
const max_shown = 3

/**
 * Says where `total` files are: the directories with most of them first, and the name of a file
 * that is alone in its directory. `places`: some of them, the largest first.
 */
export function placesText(places: readonly ReasonPlace[], total: number): string {
  const shown = places.slice(0, max_shown)
  const rest = total - shown.reduce((sum, { files }) => sum + files, 0)
  const texts = shown.map(({ directory, files, example }) => {
    if (files === 1) return example
    return files === total ? `in ${directory}` : `${formatCount(files)} in ${directory}`
  })
  return texts.join(', ') + (rest > 0 ? ` and ${formatCount(rest)} elsewhere` : '')
}

/** The first of `total` names. */
export function namesText(names: readonly string[], total: number): string {
  const rest = total - Math.min(names.length, max_shown)
  const text = names.slice(0, max_shown).join(', ')
  return rest > 0 ? `${text} and ${formatCount(rest)} more` : text
}
