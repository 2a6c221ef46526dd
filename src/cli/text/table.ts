import { fitSentence, fitText, printable, textWidth } from '../../base/text/format.ts'
import type { Style, Terminal } from './terminal.ts'

export interface Column {
  title: string
  align?: 'right'
  /** Gives way when the line is too long: paths and messages, not numbers. */
  shrinks?: boolean
  /** The cells are sentences: a long one is cut at its end, not in the middle. */
  has_sentences?: boolean
}

/** A column of paths, names or messages. */
export const shrinking = (title: string): Column => ({ title, shrinks: true })
/** A column of reasons. */
export const sentences = (title: string): Column => ({ ...shrinking(title), has_sentences: true })
/** A column of numbers. */
export const right = (title: string): Column => ({ title, align: 'right' })

/** Text as it came from anywhere: control characters are made visible here. */
export type Cell = string | { text: string; style: Style }

type Row = readonly Cell[]

const gap = '  '
/**
 * The columns that shrink, in this order, and their least width. Numbers and states stay whole as
 * long as possible. An ellipsis marks a cut text.
 */
const giving_way: readonly { may: (column: Column) => boolean; min: number }[] = [
  { may: ({ shrinks }) => shrinks === true, min: 12 },
  { may: ({ align }) => align !== 'right', min: 6 },
  { may: () => true, min: 3 },
]

export function printTable(
  { out, width }: Pick<Terminal, 'out' | 'width'>,
  columns: readonly (string | Column)[],
  rows: readonly Row[],
): void {
  for (const line of tableLines(columns, rows, width)) out(line)
}

/** Lines of a table, no longer than `width`. A title alone is a column of short words. */
export function tableLines(
  listed: readonly (string | Column)[],
  rows: readonly Row[],
  width: number,
): string[] {
  const columns = listed.map((column) => (typeof column === 'string' ? { title: column } : column))
  const texts = rows.map((row) =>
    row.map((cell) => printable(typeof cell === 'string' ? cell : cell.text)),
  )
  const widths = columnWidths(columns, texts, width)
  const lines = [columns.map(({ title }) => title), ...texts].map((row, line) => {
    const cells = columns.map((column, at) => {
      const fitted = column.has_sentences ? fitSentence : fitText
      const text = fitted(row[at] ?? '', roomOf(row, at, columns, widths))
      const cell = rows[line - 1]?.[at]
      const styled = typeof cell === 'object' ? cell.style(text) : text
      const padding = ' '.repeat(Math.max(0, widths[at]! - textWidth(text)))
      return column.align === 'right' ? padding + styled : styled + padding
    })
    return cells.join(gap).trimEnd()
  })
  return columns.some(({ title }) => title !== '') ? lines : lines.slice(1)
}

/** The last cell of a row that has a text may take the room of the empty ones after it. */
function roomOf(
  row: readonly string[],
  at: number,
  columns: readonly Column[],
  widths: readonly number[],
): number {
  const own = widths[at]!
  if (columns[at]!.align === 'right' || row.slice(at + 1).some((text) => text !== '')) return own
  return widths.slice(at + 1).reduce((sum, width) => sum + gap.length + width, own)
}

function columnWidths(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  width: number,
): number[] {
  const widths = columns.map(({ title }) => textWidth(title))
  for (const row of rows) {
    for (const at of columns.keys()) widths[at] = Math.max(widths[at]!, textWidth(row[at] ?? ''))
  }
  let excess = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1)) - width
  for (const { may, min } of giving_way) {
    // The widest gives way first, down to the next: short cells stay whole as long as possible.
    while (excess > 0) {
      const [widest] = [...columns.keys()]
        .filter((at) => may(columns[at]!) && widths[at]! > min)
        .sort((a, b) => widths[b]! - widths[a]!)
      if (widest === undefined) break
      widths[widest]!--
      excess--
    }
  }
  return widths
}
