import type { Hint } from '../disk/watch.ts'

/** Gathers hints, each once, within a bound: beyond it the whole folder is scanned instead. */
export class HintQueue {
  readonly #most: number
  readonly #paths = new Set<string>()
  readonly #directories = new Set<string>()

  constructor(most: number) {
    this.#most = most
  }

  /** False when there are too many to remember: all of them are dropped, and the caller scans. */
  add(hint: Extract<Hint, { path: string }>): boolean {
    if (hint.kind === 'directory') this.#directories.add(hint.path)
    else this.#paths.add(hint.path)
    if (this.#paths.size + this.#directories.size <= this.#most) return true
    this.#paths.clear()
    this.#directories.clear()
    return false
  }

  take(most: number): { paths: string[]; directories: string[] } {
    const directories = outermost([...this.#directories])
    this.#directories.clear()
    const paths: string[] = []
    for (const path of this.#paths) {
      if (paths.length >= most) break
      paths.push(path)
      this.#paths.delete(path)
    }
    return { paths, directories }
  }

  isEmpty(): boolean {
    return this.#paths.size === 0 && this.#directories.size === 0
  }
}

/** A scan of a directory covers those below it. */
function outermost(directories: string[]): string[] {
  const kept: string[] = []
  for (const directory of directories.sort()) {
    if (!kept.some((parent) => directory.startsWith(`${parent}/`))) kept.push(directory)
  }
  return kept
}
