import { readFileSync } from 'node:fs'

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
