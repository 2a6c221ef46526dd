import { constants } from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { systemWords } from '../../base/run/errors.ts'
import { shellWord } from '../../base/text/format.ts'
import {
  escapeName,
  isOddNamed,
  parentOf,
  pathIn,
  readDirectory,
} from '../../disk/scan/directory-names.ts'
import { adviceOnUnreadable, excludeLine } from '../../domain/file.ts'
import { accessFault, attempt, checkPath } from '../plan/check-path.ts'
import type { Case, Obstacle } from './case.ts'

/**
 * Finds the first obstacle from the root on. `unreadable`: places that the last scan could not
 * read. It may have run as a user with fewer rights than this one.
 */
export function obstacleOn(
  root: string,
  path: string,
  unreadable: readonly { path: string; code: string }[],
): Obstacle | undefined {
  const names = path === '' ? [] : path.split('/')
  for (let depth = 0; depth <= names.length; depth++) {
    const part = names.slice(0, depth).join('/')
    const place = join(root, part)
    const { kind } = checkPath(place)
    if (kind === 'missing') {
      const odd = depth > 0 ? oddName(root, parentOf(part), names[depth - 1]!) : undefined
      return odd ?? tooLong(join(root, path), path)
    }
    // The folder itself may be named by a link.
    if (kind === 'symlink' && depth > 0) return { kind: 'link', path: part }
    // With a right that is missing, the directory above was found closed. This one is too long.
    if (kind !== 'directory' && kind !== 'unreadable' && depth > 0) continue
    const denied = accessFault(place, constants.R_OK | constants.X_OK)
    const code = denied ?? unreadable.find((entry) => entry.path === part)?.code
    if (code !== undefined) return { kind: 'closed', path: part, code }
  }
  return undefined
}

/** A missing path that could not even be made. */
function tooLong(place: string, path: string): Obstacle | undefined {
  const code = accessFault(place, constants.F_OK)
  return code === 'ENAMETOOLONG' ? { kind: 'closed', path, code } : undefined
}

/**
 * Finds a name that is not UTF-8. The user types it as it is, and Node replaces its bytes by
 * U+FFFD, or the user types `\xNN`, as Sluice shows it.
 */
function oddName(root: string, directory: string, name: string): Obstacle | undefined {
  const entries = attempt(
    () => readDirectory(join(root, directory)),
    () => [],
  )
  const odd = entries.find((entry) => isOddNamed(entry.name, name))
  return odd && { kind: 'odd_name', path: pathIn(directory, escapeName(odd.name)) }
}

/** NAME_MAX of Linux. Few filesystems take longer names, and these give no error for them. */
const max_name_bytes = 255

/** Sentences for users: the obstacle, and the remedy. */
export function obstacleReasons(
  obstacle: Obstacle,
  of: Pick<Case, 'path' | 'folder' | 'for_reader'>,
): string[] {
  const root = of.for_reader ? of.folder.name : of.folder.path
  const place = obstacle.path === '' ? root : `${root}/${obstacle.path}`
  if (obstacle.kind === 'link') {
    const link =
      obstacle.path === of.path
        ? 'a symbolic link, which Sluice does not follow'
        : `it lies behind ${obstacle.path}, a symbolic link, which Sluice does not follow`
    return [`${link}: put the file itself here, or make its folder one of the config`]
  }
  if (obstacle.kind === 'odd_name') {
    // bash, zsh and ksh read `\xNN` as a byte within `$'…'`.
    const name = `$'${basename(place).replaceAll("'", "\\'")}'`
    return [
      `its name is not UTF-8 (${obstacle.path}), and the service takes no other names: it is not uploaded`,
      of.for_reader
        ? 'rename it'
        : `rename it: cd ${shellWord(dirname(place))} && mv ./${name} NEW-NAME`,
    ]
  }
  const { code, path } = obstacle
  if (code === 'ENAMETOOLONG') {
    const bytes = Buffer.byteLength(basename(path))
    return bytes > max_name_bytes
      ? [`no disk here takes a name of ${bytes} bytes: shorten it to ${max_name_bytes}`]
      : [`its path is too long, so no scan sees it: ${adviceOnUnreadable([code])}`]
  }
  const grant = `give the user of Sluice the right to read and enter it: setfacl -m u:USER:rx ${shellWord(place)}`
  const cure = code === 'EACCES' || code === 'EPERM' ? grant : adviceOnUnreadable([code])
  const leave_out =
    path === ''
      ? ''
      : `; or leave it out: add the line ${excludeLine(path)} to ${root}/.sluiceignore`
  const remedy = of.for_reader ? 'ask your administrator' : `${cure}${leave_out}`
  return [
    `the directory ${place} cannot be read (${systemWords(code)}), so no scan sees what is in it`,
    remedy,
  ]
}
