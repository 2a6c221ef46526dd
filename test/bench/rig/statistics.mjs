/**
 * @typedef {object} Figure
 * @property {number} median
 * @property {number} min
 * @property {number} max
 */

/**
 * @param {readonly number[]} values at least one
 * @returns {Figure}
 */
export function figureOf(values) {
  const sorted = values.toSorted((a, b) => a - b)
  const middle = Math.floor(sorted.length / 2)
  const median =
    sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
  return { median: rounded(median), min: rounded(sorted[0]), max: rounded(sorted.at(-1)) }
}

/**
 * @param {readonly number[]} values at least one
 * @param {number} percent
 */
export function percentileOf(values, percent) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.ceil((sorted.length * percent) / 100) - 1)]
}

/** Four digits are more precise than any two runs. @param {number} value */
function rounded(value) {
  return Number(value.toPrecision(4))
}
