import { posix } from 'node:path'

/** True for `directory` itself and all paths below it. Both paths are absolute and without `..`. */
export function isBelow(path: string, directory: string): boolean {
  const way = posix.relative(directory, path)
  // A name may begin with two dots, such as `..trash`.
  return way !== '..' && !way.startsWith('../')
}
