import { isBefore } from '../ledger/path-order.ts'

/**
 * Reads the ledger's rows of a folder beside a walk through it, both in byte order. Answers the row of a path that the walk
 * met, and the end of the walk is told without a path; rows before it are of files that the walk did not meet.
 */
export function rowsBeside<Row extends { path: string }>(
  rows: Iterator<Row, undefined>,
  onMissing: (row: Row) => void,
) {
  let row = rows.next().value
  return (path?: string): Row | undefined => {
    while (row !== undefined && (path === undefined || (row.path !== path && isBefore(row.path, path)))) {
      onMissing(row)
      row = rows.next().value
    }
    if (row === undefined || row.path !== path) return undefined
    const found = row
    row = rows.next().value
    return found
  }
}
