import { scale_rows } from './scale-rows.mjs'

/**
 * Which aims were met, of what was measured.
 * @param {Record<string, import('./scale-rows.mjs').Measured>} scale by the names of the rows
 */
export function scaleAims(scale) {
  return scale_rows.flatMap(({ name, figures, aims }) => {
    const measured = scale[name]
    if (measured === undefined || measured.failed !== undefined) return []
    return aims
      .filter(({ figure }) => measured[figure] !== undefined)
      .map(({ figure, of = 'median', most, least }) => {
        const [title, unit] = figures[figure]
        const found = measured[figure][of]
        const what = `${name}, ${title}${of === 'median' ? '' : ` (${of})`}${unit === '' ? '' : `, ${unit}`}`
        const aim = most === undefined ? `${least} at least` : `${most} at most`
        return { what, found, aim, met: most === undefined ? found >= least : found <= most }
      })
  })
}
