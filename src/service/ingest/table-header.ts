/** The filled cells of a row, from the left. `column` counts from 0. */
export type FilledRow = readonly { column: number; words: string }[]

export interface FoundHeader {
  /** Its first row, and the row behind its last one. */
  from: number
  to: number
  /** Numbers stand below its words. Rows of words alone could also be data. */
  is_sure: boolean
}

type CellKind = 'words' | 'label' | 'year' | 'count' | 'number'

/** By column. */
type Kinds = ReadonlyMap<number, CellKind>

/** Columns that decide. More would only cost time. */
const max_columns = 100
/** A name of a group of columns stands above their names. */
const max_header_rows = 3
/** Of the columns of a row, so many may be without a name. */
const max_unnamed_share = 0.25
/** UTF-16 units. A longer text is no name of a column. */
const max_name_length = 200
/** A larger number is no day of a month, so it names no column. */
const max_count = 31

/**
 * The rows that name the columns of a table; undefined if it has none. `rows`: its first ones. A
 * title above a header has fewer cells than the rows below, or it has a number above words.
 */
export function findHeader(rows: readonly FilledRow[]): FoundHeader | undefined {
  const kinds = rows.map(kindsOf)
  const labels = rows.map((row, at) => namesColumns(row, kinds[at]!, kinds.slice(at + 1)))
  const found: FoundHeader[] = []
  for (const length of [1, 2]) {
    for (let from = 0; from + length < rows.length; from++) {
      const to = from + length
      const header = kinds.slice(from, to)
      const below = kinds.slice(to)
      const is_header = labels.slice(from, to).every(Boolean) && covers(header, below)
      if (is_header)
        found.push({ from, to, is_sure: header.some((row) => hasNumbersBelow(row, below)) })
    }
  }
  const first = found.find(({ is_sure }) => is_sure) ?? found[0]
  if (first) return withRowsAround(first, kinds, labels)
  const from = labels.findIndex((is, at) => is && hasNumbersBelow(kinds[at]!, kinds.slice(at + 1)))
  return from < 0 ? undefined : { from, to: from + 1, is_sure: true }
}

/** Whether a row stands above another part of its sheet than the row before. */
export function beginsAnew(row: FilledRow, before: FilledRow): boolean {
  if (before.length < 2) return false
  const above = kindsOf(before)
  if (row.length === 1) return ![...above.values()].every(isText)
  const kinds = kindsOf(row)
  if (![...kinds.values()].every(isText)) return false
  const changed = row.filter(({ column }) => above.get(column) === 'number')
  const words = new Set(changed.map((cell) => cell.words))
  // One word below numbers, or one word many times, can say that a number is unknown.
  return words.size > 1 && words.size === changed.length
}

/** A header takes in the names of groups above it, and a second row of names above numbers. */
function withRowsAround(
  { from, to, is_sure }: FoundHeader,
  rows: readonly Kinds[],
  labels: readonly boolean[],
): FoundHeader {
  let first = from
  while (first > 0 && to - first < max_header_rows && namesGroups(rows[first - 1]!, rows[first]!))
    first--
  const next = rows[to] ?? new Map()
  const is_next =
    is_sure &&
    labels[to] &&
    covers([next], rows.slice(to + 1)) &&
    hasNumbersBelow(next, rows.slice(to + 1, to + 2))
  return { from: first, to: is_next ? to + 1 : to, is_sure }
}

/** The names of groups leave columns out, because each stands above several. */
function namesGroups(row: Kinds, below: Kinds): boolean {
  const columns = [...row.keys()]
  const first = columns[0]!
  const has_gap = columns.at(-1)! - first >= columns.length || first > [...below.keys()][0]!
  const has_other = columns.some((column) => !below.has(column))
  return columns.length > 1 && (has_other || has_gap) && [...row.values()].every(isText)
}

function namesColumns(row: FilledRow, kinds: Kinds, below: readonly Kinds[]): boolean {
  const found = new Set(kinds.values())
  if (row.length < 2 || found.has('number')) return false
  if (row.some(({ words }) => words.length > max_name_length)) return false
  // `Firm: Miller` above a table.
  if (found.has('label') && found.has('words')) return false
  const counts = row.filter(({ column }) => kinds.get(column) === 'count')
  const goes_on = counts.every(
    ({ words }, at) => at === 0 || Number(words) === Number(counts[at - 1]!.words) + 1,
  )
  if (counts.length === 1 || !goes_on) return false
  return [...kinds].every(([column, kind]) => kind !== 'year' || !isDataYear(column, below))
}

/** A year names a column if it stands above something else, but not above the true name. */
function isDataYear(column: number, below: readonly Kinds[]): boolean {
  const kinds = below.map((row) => row.get(column))
  const has_name = kinds[0] !== undefined && isText(kinds[0]) && kinds.includes('number')
  return has_name || kinds.every((kind) => kind === undefined || kind === 'year')
}

function covers(header: readonly Kinds[], below: readonly Kinds[]): boolean {
  const covered = below.filter((row) => {
    const unnamed = [...row.keys()].filter((column) => !header.some((names) => names.has(column)))
    return unnamed.length <= row.size * max_unnamed_share
  })
  return covered.length * 2 >= below.length
}

function hasNumbersBelow(row: Kinds, below: readonly Kinds[]): boolean {
  return [...row.keys()].some((column) =>
    below.some((other) => other.has(column) && !isText(other.get(column)!)),
  )
}

function kindsOf(row: FilledRow): Kinds {
  return new Map(row.slice(0, max_columns).map(({ column, words }) => [column, kindOf(words)]))
}

function isText(kind: CellKind): boolean {
  return kind === 'words' || kind === 'label'
}

/** A number may have a sign, a unit of some letters, and what parts a date or a time. */
function kindOf(words: string): CellKind {
  if (/^(19|20)\d\d(-\d\d){0,2}$|^\d{1,2}\.\d{1,2}\.\d{4}$/.test(words)) return 'year'
  if (/^\d{1,2}$/.test(words) && Number(words) <= max_count) return 'count'
  if (/^[^\p{L}]{0,40}\d[^\p{L}]{0,40}\p{L}{0,3}[^\p{L}]{0,3}$|^(TRUE|FALSE)$/u.test(words))
    return 'number'
  return words.endsWith(':') ? 'label' : 'words'
}
