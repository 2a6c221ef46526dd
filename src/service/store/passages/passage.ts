/** A part of a file's text, and where it stands in the file. */
export interface Passage {
  text: string
  /** Those that it stands below, from the outside. */
  headings: readonly string[]
  /** Its page, slide or sheet, such as `page 3`; empty in a file of one part. */
  unit: string
  /** The numbers of the rows of a table that its last lines are. */
  rows: readonly number[]
  /** `row`, or `line` in a file that is text. */
  row_name?: string
}

/** `rows` of which a place names each; of more it names the first and the last. */
export function placeText({
  headings,
  unit,
  rows,
  row_name = 'row',
}: Omit<Passage, 'text'>): string {
  const last = headings.at(-1)
  const outer = headings.slice(0, -1)
  // A number says where a heading stands.
  const is_numbered = last === undefined || /^[\d§(]/.test(last)
  const above = outer.length === 0 || is_numbered ? '' : ` (in ${outer.join(' › ')})`
  const range =
    rows.length < 2 ? `${row_name} ${rows[0]}` : `${row_name}s ${rows[0]}–${rows.at(-1)}`
  return [unit, last === undefined ? '' : `${last}${above}`, rows.length === 0 ? '' : range]
    .filter((part) => part !== '')
    .join(', ')
}
