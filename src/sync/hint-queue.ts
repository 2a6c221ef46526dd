import type { Hint } from '../disk/watch.ts'

export interface HintLimits {
  /** Beyond so many the whole folder is scanned instead. */
  max_hints: number
  /** So many in one directory become one look at that directory. */
  directory_hints: number
}

/**
 * Gathers hints, each once, within a bound: many in one directory become one look at it and all below, too many a scan of the
 * folder. So a storm takes no more memory than a shower.
 */
export class HintQueue {
  readonly #limits: HintLimits
  readonly #paths = new Map<string, Set<string>>()
  readonly #directories = new Set<string>()
  #path_count = 0

  constructor(limits: HintLimits) {
    this.#limits = limits
  }

  /** False when there are too many to remember: all of them are dropped, and the caller scans. */
  add(hint: Extract<Hint, { path: string }>): boolean {
    if (hint.kind === 'directory') this.#directories.add(hint.path)
    else if (!this.#directories.has(parentOf(hint.path))) this.#addPath(hint.path)
    if (this.#path_count + this.#directories.size <= this.#limits.max_hints) return true
    this.clear()
    return false
  }

  take(most: number): { paths: string[]; directories: string[] } {
    const directories = outermost([...this.#directories])
    this.#directories.clear()
    const paths: string[] = []
    for (const [directory, names] of this.#paths) {
      for (const path of names) {
        if (paths.length >= most) return { paths, directories }
        paths.push(path)
        names.delete(path)
        this.#path_count -= 1
      }
      this.#paths.delete(directory)
    }
    return { paths, directories }
  }

  /** A scan of the folder answers all of them. */
  clear(): void {
    this.#paths.clear()
    this.#directories.clear()
    this.#path_count = 0
  }

  isEmpty(): boolean {
    return this.#path_count === 0 && this.#directories.size === 0
  }

  #addPath(path: string): void {
    const directory = parentOf(path)
    let paths = this.#paths.get(directory)
    if (!paths) {
      paths = new Set()
      this.#paths.set(directory, paths)
    }
    const before = paths.size
    paths.add(path)
    this.#path_count += paths.size - before
    // At the root that would be the whole folder: its other directories have nothing to do with it.
    if (paths.size < this.#limits.directory_hints || directory === '') return
    this.#paths.delete(directory)
    this.#path_count -= paths.size
    this.#directories.add(directory)
  }
}

function parentOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

/** A scan of a directory covers those below it, which stand right after it in this order. */
function outermost(directories: string[]): string[] {
  const kept: string[] = []
  for (const directory of directories.map((path) => `${path}/`).sort()) {
    const last = kept.at(-1)
    if (last === undefined || !directory.startsWith(last)) kept.push(directory)
  }
  return kept.map((directory) => directory.slice(0, -1))
}
