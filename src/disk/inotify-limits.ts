import { readdirSync, readFileSync } from 'node:fs'
import { codeOf } from '../base/errors.ts'

/** A limit of the kernel on what all programs of one user have together (inotify(7)), and what sysctl(8) calls it. */
export interface InotifyLimit {
  name: string
  /** Infinity where there is none to be read. */
  value: number
}

/** The limit that is reached first; a container can have a lower one of its own (namespaces, ucounts). */
export function inotifyLimit(of: 'watches' | 'instances'): InotifyLimit {
  const names = [`fs.inotify.max_user_${of}`, `user.max_inotify_${of}`]
  const limits = names.map((name) => ({ name, value: readLimit(name) }))
  return limits.reduce((a, b) => (b.value < a.value ? b : a))
}

/** A round number with room for `needed` besides what has used the limit up. */
export function raisedLimit(value: number, needed: number): number {
  return 2 ** Math.ceil(Math.log2(value + needed))
}

/**
 * The values read last: a process without a free descriptor cannot read them when it needs them
 * most.
 */
const known = new Map<string, number>()

function readLimit(name: string): number {
  try {
    known.set(name, Number(readFileSync(`/proc/sys/${name.replaceAll('.', '/')}`, 'utf8')))
  } catch {
    // Not Linux, or /proc is hidden: then this limit is not the one to name.
  }
  return known.get(name) ?? Number.POSITIVE_INFINITY
}

/** Watches that this process holds; 0 where that cannot be read. */
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

/** Descriptors come and go while they are listed. */
function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return ''
  }
}
