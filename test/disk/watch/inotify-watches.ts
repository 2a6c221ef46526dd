import { readdirSync, readFileSync } from 'node:fs'
import { codeOf } from '../../../src/base/run/errors.ts'

/** Counts the watches of this process; 0 where they cannot be read. */
export function countInotifyWatches(): number {
  return inotifyFiles().reduce((sum, text) => sum + (text.match(/^inotify /gm)?.length ?? 0), 0)
}

/** proc(5): a line for each watch of an inotify instance. */
function inotifyFiles(): string[] {
  const directory = '/proc/self/fdinfo'
  try {
    return readdirSync(directory).map((name) => readIfThere(`${directory}/${name}`))
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return []
  }
}

/** A descriptor may be closed while the list is read. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return ''
  }
}
