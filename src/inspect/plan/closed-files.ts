import { constants } from 'node:fs'
import { access } from 'node:fs/promises'
import { join } from 'node:path'
import { codeOf } from '../../base/run/errors.ts'

/** For each path below `root`, whether this user may not read it. Opens no file. */
export function areClosed(root: string, paths: readonly string[]): Promise<boolean[]> {
  return Promise.all(paths.map((path) => isClosed(join(root, path))))
}

async function isClosed(path: string): Promise<boolean> {
  try {
    await access(path, constants.R_OK)
    return false
  } catch (error) {
    return codeOf(error) === 'EACCES'
  }
}
