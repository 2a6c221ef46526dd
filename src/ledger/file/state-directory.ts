import {
  accessSync,
  chmodSync,
  closeSync,
  constants,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { holdLock } from '../../base/files/lock.ts'
import { codeOf, isSluiceError, messageOf, SluiceError } from '../../base/run/errors.ts'
import { isoTime } from '../../base/time/time.ts'

export function ledgerFile(state_dir: string): string {
  return join(state_dir, 'ledger.db')
}

export function ticketsFile(state_dir: string): string {
  return join(state_dir, 'tickets.db')
}

/** The socket through which commands reach the daemon. */
export function controlSocket(state_dir: string): string {
  return join(state_dir, 'control.sock')
}

/** The directory of the new ledger during a rebuild, until it is complete. */
export function rebuildDirectory(state_dir: string): string {
  return join(state_dir, 'rebuild')
}

/** True if a rebuild is running, or was interrupted and can be continued. */
export function isRebuildOpen(state_dir: string): boolean {
  return exists(ledgerFile(rebuildDirectory(state_dir)))
}

/** Makes the directory with mode 0700. Errors: `database.unreadable`; see also refuseShared. */
export function makeStateDirectory(state_dir: string): void {
  try {
    mkdirSync(state_dir, { recursive: true, mode: 0o700 })
    refuseShared(state_dir)
    chmodSync(state_dir, 0o700)
  } catch (error) {
    if (isSluiceError(error)) throw error
    throw new SluiceError({
      code: 'database.unreadable',
      message: `the state directory ${state_dir} cannot be used: ${messageOf(error)}`,
      hint: 'set state_dir to a directory that this user owns',
      cause: error,
    })
  }
}

/**
 * Sluice closes the directory to all other users. That would take /tmp or a home directory from its
 * users, so it refuses an open directory that holds other things (`config.state_dir`).
 */
function refuseShared(state_dir: string): void {
  const is_open = (statSync(state_dir).mode & 0o077) !== 0
  if (!is_open) return
  const names = readdirSync(state_dir)
  if (names.length === 0 || names.includes('ledger.db')) return
  throw new SluiceError({
    code: 'config.state_dir',
    message: `state_dir ${state_dir} is open to other users and holds other things (${names[0]})`,
    hint: 'give Sluice a directory of its own; it need not exist yet',
  })
}

/**
 * Locks the ledger for this process. Error `ledger.locked` if another process holds it. `command`:
 * what that error of other processes calls this one.
 */
export function lockLedger(state_dir: string, command: string): { release(): void } {
  try {
    return holdLock(join(state_dir, 'lock.db'), command)
  } catch (error) {
    if (!isSluiceError(error, 'database.locked')) throw error
    throw new SluiceError({
      code: 'ledger.locked',
      message: `another Sluice process is at work on ${state_dir}: ${error.message}`,
      hint: 'stop it first (systemctl stop sluice, or Ctrl-C where it was started), or give this one a state_dir of its own',
      cause: error,
    })
  }
}

/** Suffixes of a database and its files, which are moved and removed together. */
const parts = ['', '-wal', '-shm']

export function moveDatabase(from: string, to: string): void {
  for (const part of parts) {
    if (exists(from + part)) renameSync(from + part, to + part)
  }
}

export function removeDatabase(file: string): void {
  for (const part of parts) rmSync(file + part, { force: true })
}

/** Renames a ledger to `ledger.db.WHY-DATE`. Returns its new path; undefined without one. */
export function moveAside(
  state_dir: string,
  why: 'damaged' | 'replaced',
  now_ms: number,
): string | undefined {
  const file = ledgerFile(state_dir)
  if (!parts.some((part) => exists(file + part))) return undefined
  const date = isoTime(now_ms).slice(0, 19).replaceAll(':', '')
  for (let number = 1; ; number++) {
    const aside = `${file}.${why}-${date}${number === 1 ? '' : `-${number}`}`
    if (parts.some((part) => exists(aside + part))) continue
    moveDatabase(file, aside)
    return aside
  }
}

/** Makes renames in this directory survive a power cut (fsync(2)). */
export function syncDirectory(directory: string): void {
  syncPath(directory, 'r')
}

export function syncPath(path: string, flags: 'r' | 'r+'): void {
  const descriptor = openSync(path, flags)
  try {
    fsyncSync(descriptor)
  } finally {
    closeSync(descriptor)
  }
}

/**
 * Call this after a command has made files in the state directory. If root ran it, the database
 * files go to the owner of the directory, because the daemon could not open them otherwise.
 */
export function giveToOwner(state_dir: string): void {
  const { uid, gid } = statSync(state_dir)
  if (process.geteuid?.() !== 0 || uid === 0) return
  for (const name of readdirSync(state_dir)) {
    if (/^(ledger|tickets|lock)\.db/.test(name)) lchownSync(join(state_dir, name), uid, gid)
  }
}

/** A path below a file counts as missing. The code that opens it reports the error. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw error
  }
}

const not_allowed: readonly (string | undefined)[] = ['EACCES', 'EPERM']

/**
 * Throws if this user may not use these paths as `wish` says. SQLite would only report "cannot
 * open", and existsSync "not there". A missing path is no error. Errors: `account.no_right`, whose
 * hint names the user to run as, and `database.read_only`.
 */
export function refuseNoRight(
  state_dir: string,
  files: readonly string[],
  wish: 'read' | 'write',
): void {
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

export function noRight(
  state_dir: string,
  cause: unknown,
  wish: 'read' | 'write' = 'read',
): SluiceError {
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

/** The user as sudo takes it: users of a directory service are not in the file. */
function nameOf(uid: number): string {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.split(':')[2] === String(uid))
  return line?.split(':')[0] ?? `'#${uid}'`
}

/**
 * The error for a read-only file system, where no other user could write either. A kernel makes it
 * read-only when its disk fails. A systemd unit can make all paths read-only that it does not name.
 */
function readOnly(state_dir: string, cause: unknown): SluiceError {
  return new SluiceError({
    code: 'database.read_only',
    message: `nothing can be recorded: ${state_dir} lies on a file system that is read-only here`,
    hint: 'dmesg says whether the disk has failed; under systemd `sluice install` opens state_dir; else mount it for writing, or set another state_dir',
    cause,
  })
}
