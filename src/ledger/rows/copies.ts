import type { FileState } from '../../domain/file.ts'

const states: Record<FileState, true> = { seen: true, present: true, blocked: true, skipped: true, gone: true }
const quoted = (Object.keys(states) as FileState[]).map((state) => `'${state}'`)

/**
 * SQL for a row of `files` with a content: the file holds it, or held it last and is not gone. The
 * states are listed so that an index by state serves the condition.
 */
export const is_there = `files.state IN (${quoted.filter((state) => state !== `'gone'`).join()})`

/**
 * SQL order for naming a content by one of its copies: those that hold it first, gone ones last.
 */
export const best_copy_first = `files.state <> 'present', files.state = 'gone'`

/**
 * SQL for the oldest `there_ms` of the copies of a content in a folder, gone ones included. Both
 * arguments are SQL expressions. It asks state by state: one entry of files_by_content answers
 * each.
 */
export function oldestThere(content: string, folder: string): string {
  const of_state = quoted.map(
    (state) =>
      `SELECT min(there_ms) AS oldest FROM files WHERE content = ${content} AND state = ${state} AND folder = ${folder} AND there_ms IS NOT NULL`,
  )
  return `(SELECT min(oldest) FROM (${of_state.join(' UNION ALL ')}))`
}
