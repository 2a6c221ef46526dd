import type { FileState } from '../../domain/file.ts'

const states: Record<FileState, true> = { seen: true, present: true, blocked: true, skipped: true, gone: true }
const quoted = (Object.keys(states) as FileState[]).map((state) => `'${state}'`)

/** Of a row of `files` that has a content: it holds it, or held it last and is still there. Listed, so that an index by state serves it. */
export const is_there = `files.state IN (${quoted.filter((state) => state !== `'gone'`).join()})`

/** To call a content by one of its copies: by one that holds it, else by one that is there. */
export const best_copy_first = `files.state <> 'present', files.state = 'gone'`

/**
 * The oldest `there_ms` of the copies of a content in a folder, gone ones too; both are SQL expressions. State by state, each answered by
 * one entry of files_by_content.
 */
export function oldestThere(content: string, folder: string): string {
  const of_state = quoted.map(
    (state) =>
      `SELECT min(there_ms) AS oldest FROM files WHERE content = ${content} AND state = ${state} AND folder = ${folder} AND there_ms IS NOT NULL`,
  )
  return `(SELECT min(oldest) FROM (${of_state.join(' UNION ALL ')}))`
}
