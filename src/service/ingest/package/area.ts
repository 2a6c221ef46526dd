/** Points of the units of lengths. Word writes a length in pixels without its unit. */
const points_in: Readonly<Record<string, number>> = {
  cm: 72 / 2.54,
  mm: 7.2 / 2.54,
  in: 72,
  pt: 1,
  pc: 12,
  px: 0.75,
  '': 0.75,
}

/** Square points of what has a width and a height, such as `2.5cm`; undefined without them. */
export function areaOf(width = '', height = ''): number | undefined {
  const area = pointsOf(width) * pointsOf(height)
  return Number.isNaN(area) ? undefined : area
}

function pointsOf(length: string): number {
  const [, number, unit = ''] = /^([\d.]+)([a-z]*)$/.exec(length) ?? []
  return Number(number) * (points_in[unit] ?? Number.NaN)
}
