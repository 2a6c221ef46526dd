import { parentOf } from '../../disk/scan/directory-names.ts'
import type { Hint } from '../../disk/watch/watch.ts'

export interface HintLimits {
  /** Above this number the whole folder is scanned instead. */
  max_hints: number
  /** Above this number in one directory the directory is scanned instead. */
  directory_hints: number
}

/**
 * Collects hints, each once. Many in one directory become a scan of it and everything below; too
 * many become a scan of the folder. Memory stays bounded.
 */
export function createHintQueue(limits: HintLimits) {
  const by_directory = new Map<string, Set<string>>()
  const directories = new Set<string>()
  let path_count = 0

  /** Drops all hints, because a scan of the folder covers them. */
  function clear(): void {
    by_directory.clear()
    directories.clear()
    path_count = 0
  }

  function addPath(path: string): void {
    const directory = parentOf(path)
    let paths = by_directory.get(directory)
    if (!paths) {
      paths = new Set()
      by_directory.set(directory, paths)
    }
    const before = paths.size
    paths.add(path)
    path_count += paths.size - before
    // A scan of the root would include its other directories, which are not concerned.
    if (paths.size < limits.directory_hints || directory === '') return
    by_directory.delete(directory)
    path_count -= paths.size
    directories.add(directory)
  }

  return {
    /** False if there are too many: all are dropped, and the caller must scan. */
    add(hint: Extract<Hint, { path: string }>): boolean {
      if (hint.kind === 'directory') directories.add(hint.path)
      else if (!directories.has(parentOf(hint.path))) addPath(hint.path)
      if (path_count + directories.size <= limits.max_hints) return true
      clear()
      return false
    },
    take(most: number) {
      const whole = outermost([...directories])
      directories.clear()
      const paths: string[] = []
      for (const [directory, names] of by_directory) {
        for (const path of names) {
          if (paths.length >= most) return { paths, directories: whole }
          paths.push(path)
          names.delete(path)
          path_count -= 1
        }
        by_directory.delete(directory)
      }
      return { paths, directories: whole }
    },
    clear,
    isEmpty: () => path_count === 0 && directories.size === 0,
  }
}

/** A scan of a directory covers those below it, which follow it in this order. */
function outermost(directories: string[]): string[] {
  const kept: string[] = []
  for (const directory of directories.map((path) => `${path}/`).sort()) {
    const last = kept.at(-1)
    if (last === undefined || !directory.startsWith(last)) kept.push(directory)
  }
  return kept.map((directory) => directory.slice(0, -1))
}
