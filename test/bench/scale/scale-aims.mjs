import { scale_rows } from './scale-rows.mjs'

/**
 * Compares the measured figures with their aims.
 * @param {Record<string, import('./scale-rows.mjs').Measured>} scale by the names of the rows
 */
export function scaleAims(scale) {
  return scale_rows.flatMap(({ name, figures, aims }) => {
    const measured = scale[name]
    if (measured === undefined || measured.failed !== undefined) return []
    return aims
      .filter(({ figure }) => measured[figure] !== undefined)
      .map(({ figure, of = 'median', max, min }) => {
        const [title, unit] = figures[figure]
        const found = measured[figure][of]
        const what = `${name}, ${title}${of === 'median' ? '' : ` (${of})`}${unit === '' ? '' : `, ${unit}`}`
        const aim = max === undefined ? `${min} at least` : `${max} at most`
        return { what, found, aim, met: max === undefined ? found >= min : found <= max }
      })
  })
}
