import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { codeOf, SluiceError } from '../base/errors.ts'

const not_allowed: readonly (string | undefined)[] = ['EACCES', 'EPERM']

/**
 * SQLite says "cannot open" and existsSync says "not there" where the truth is that this user has no right. Of what is not there
 * at all nothing is said. Errors: `account.no_right`, with whom to be instead; `database.read_only`, where nobody may write.
 */
export function refuseNoRight(state_dir: string, files: readonly string[], wish: 'read' | 'write'): void {
  const { R_OK, W_OK, X_OK } = constants
  const of_file = wish === 'read' ? R_OK : R_OK | W_OK
  refuse(state_dir, of_file | X_OK, state_dir, wish)
  for (const file of files) refuse(file, of_file, state_dir, wish)
}

function refuse(path: string, mode: number, state_dir: string, wish: 'read' | 'write'): void {
  try {
    accessSync(path, mode)
  } catch (error) {
    if (not_allowed.includes(codeOf(error))) throw noRight(state_dir, error, wish)
    if (codeOf(error) === 'EROFS') throw readOnly(state_dir, error)
  }
}

export function noRight(state_dir: string, cause: unknown, wish: 'read' | 'write' = 'read'): SluiceError {
  return new SluiceError({
    code: 'account.no_right',
    message: `this user may not ${wish} what Sluice keeps in ${state_dir}`,
    hint: `run this as the user that the daemon runs as${ownerText(state_dir)}`,
    cause,
  })
}

function ownerText(state_dir: string): string {
  try {
    return ` (sudo -u ${nameOf(statSync(state_dir).uid)} sluice …)`
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return ''
  }
}

/** As sudo takes it. Users of a directory service are not in the file: their number does as well. */
function nameOf(uid: number): string {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.split(':')[2] === String(uid))
  return line?.split(':')[0] ?? `'#${uid}'`
}

/** No other user could: a kernel makes a file system read-only when its disk fails, and a unit all that it does not name. */
function readOnly(state_dir: string, cause: unknown): SluiceError {
  return new SluiceError({
    code: 'database.read_only',
    message: `nothing can be recorded: ${state_dir} lies on a file system that is read-only here`,
    hint: 'dmesg says whether the disk has failed; under systemd `sluice install` opens state_dir; else mount it for writing, or set another state_dir',
    cause,
  })
}
