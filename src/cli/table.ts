import { printable } from '../base/format.ts'
import { fitText, textWidth } from '../base/text-width.ts'
import type { Style } from './terminal.ts'

export interface Column {
  title: string
  align?: 'left' | 'right'
  /** Gives way when the line is too long: paths and messages, not numbers. */
  shrinks?: boolean
}

/** Text as it came from anywhere: control characters are made visible here. */
export type Cell = string | { text: string; style: Style }

const gap = '  '
/** A column that gives way keeps at least this much. */
const least_width = 12

/** Lines of a table, no longer than `width` where the columns can give way so far. */
export function tableLines(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): string[] {
  const texts = rows.map((row) => row.map((cell) => printable(typeof cell === 'string' ? cell : cell.text)))
  const widths = columnWidths(columns, texts, width)
  const lines = [columns.map(({ title }) => title), ...texts].map((row, line) => {
    const cells = columns.map((column, at) => {
      const text = fitText(row[at] ?? '', widths[at]!)
      const cell = rows[line - 1]?.[at]
      const styled = typeof cell === 'object' ? cell.style(text) : text
      const padding = ' '.repeat(widths[at]! - textWidth(text))
      return column.align === 'right' ? padding + styled : styled + padding
    })
    return cells.join(gap).trimEnd()
  })
  return columns.some(({ title }) => title !== '') ? lines : lines.slice(1)
}

function columnWidths(columns: readonly Column[], rows: readonly (readonly string[])[], width: number): number[] {
  const widths = columns.map(({ title }) => textWidth(title))
  for (const row of rows) {
    for (const at of columns.keys()) widths[at] = Math.max(widths[at]!, textWidth(row[at] ?? ''))
  }
  let excess = widths.reduce((sum, each) => sum + each, gap.length * (columns.length - 1)) - width
  // The widest gives way first, down to the next: short cells stay whole as long as possible.
  while (excess > 0) {
    const [widest] = [...columns.keys()]
      .filter((at) => columns[at]!.shrinks && widths[at]! > least_width)
      .sort((a, b) => widths[b]! - widths[a]!)
    if (widest === undefined) break
    widths[widest]!--
    excess--
  }
  return widths
}
