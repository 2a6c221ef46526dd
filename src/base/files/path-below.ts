import { posix } from 'node:path'

/** A path below another, or the same; both absolute and without `..`. */
export function isBelow(path: string, directory: string): boolean {
  const way = posix.relative(directory, path)
  return way !== '..' && !way.startsWith('..')
}
