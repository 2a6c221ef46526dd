import {
  chmodSync,
  closeSync,
  fsyncSync,
  lchownSync,
  mkdirSync,
  openSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { join } from 'node:path'
import { holdLock } from '../../base/files/sqlite.ts'
import { codeOf, isSluiceError, messageOf, SluiceError } from '../../base/run/errors.ts'
import { type Clock, isoTime } from '../../base/time/time.ts'

export function ledgerFile(state_dir: string): string {
  return join(state_dir, 'ledger.db')
}

export function ticketsFile(state_dir: string): string {
  return join(state_dir, 'tickets.db')
}

/** Where commands speak to the daemon. */
export function controlSocket(state_dir: string): string {
  return join(state_dir, 'control.sock')
}

/** Where a rebuild keeps the new ledger until it is whole. */
export function rebuildDirectory(state_dir: string): string {
  return join(state_dir, 'rebuild')
}

/** One was begun and is not at its end: it is at work, or was interrupted and goes on when it is run again. */
export function isRebuildOpen(state_dir: string): boolean {
  return exists(ledgerFile(rebuildDirectory(state_dir)))
}

/** Makes it 0700 where it is missing. Errors: `database.unreadable`, and `config.state_dir` for one that is not for us to close. */
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

/** The directory is closed to everybody else: one that holds other things, /tmp or a home directory, would be taken from its users. */
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

/** One process at a time. Error `ledger.locked`. */
export function lockLedger(state_dir: string): { release(): void } {
  try {
    return holdLock(join(state_dir, 'lock.db'))
  } catch (error) {
    if (!isSluiceError(error, 'database.locked')) throw error
    throw new SluiceError({
      code: 'ledger.locked',
      message: `another Sluice process is at work on ${state_dir}`,
      hint: 'stop it first, or give this one a state_dir of its own',
      cause: error,
    })
  }
}

/** What SQLite keeps beside a database belongs to it: moved or taken away with it, and never left for another one. */
const parts = ['', '-wal', '-shm']

export function moveDatabase(from: string, to: string): void {
  for (const part of parts) if (exists(from + part)) renameSync(from + part, to + part)
}

export function removeDatabase(file: string): void {
  for (const part of parts) rmSync(file + part, { force: true })
}

/** Moves a ledger that is there aside, as `ledger.db.WHY-DATE`, and answers its new name. */
export function moveAside(state_dir: string, why: 'damaged' | 'replaced', now_ms: number): string | undefined {
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

/** What was renamed in it is there after a power cut (fsync(2)). */
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
 * After work that root did by hand in a daemon's directory: what it made there belongs to the directory's owner, who could not
 * open it otherwise. Does nothing for anybody else.
 */
export function giveToOwner(state_dir: string): void {
  const { uid, gid } = statSync(state_dir)
  if (process.geteuid?.() !== 0 || uid === 0) return
  for (const name of readdirSync(state_dir)) {
    if (/^(ledger|tickets|lock)\.db/.test(name)) lchownSync(join(state_dir, name), uid, gid)
  }
}

/** Below a file nothing is: whoever opens it says what is wrong with that. */
function exists(path: string): boolean {
  try {
    return statSync(path, { throwIfNoEntry: false }) !== undefined
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOTDIR') return false
    throw error
  }
}

export interface LedgerFault {
  error: SluiceError
  since_ms: number
}

/**
 * Whether the file that was opened is still the one at its place. An open file goes on when it is removed, and everything is recorded in
 * it, until its process ends and nothing of it is left. Called when the ledger has been opened; the answer looks each time it is asked.
 * Errors answered: `ledger.removed`, `ledger.replaced`, `ledger.out_of_sight`.
 */
export function watchLedgerPlace(state_dir: string, clock: Clock): () => LedgerFault | undefined {
  const file = ledgerFile(state_dir)
  const opened = identityOf(file)
  let known: LedgerFault | undefined
  return () => {
    const error = faultOf(file, opened)
    known = error && { error, since_ms: known?.since_ms ?? clock.now_ms() }
    return known
  }
}

function identityOf(file: string): string {
  const { dev, ino } = statSync(file, { bigint: true })
  return `${dev} ${ino}`
}

function faultOf(file: string, opened: string): SluiceError | undefined {
  const lost = 'what is recorded from then on is lost when this daemon ends'
  try {
    if (identityOf(file) === opened) return undefined
    return new SluiceError({
      code: 'ledger.replaced',
      message: `another file is in the place of ${file}, which this daemon has open: ${lost}`,
      hint: 'stop the daemon; start it again if the new file is right, else run `sluice restore FILE` or `sluice rebuild` first',
    })
  } catch (error) {
    if (codeOf(error) !== 'ENOENT') {
      return new SluiceError({
        code: 'ledger.out_of_sight',
        message: `${file} cannot be looked at: ${messageOf(error)}`,
        hint: 'see that the daemon can enter state_dir, and that its disk is there',
        cause: error,
      })
    }
    return new SluiceError({
      code: 'ledger.removed',
      message: `${file} was removed while this daemon has it open: ${lost}`,
      hint: 'stop the daemon, then run `sluice restore FILE` or `sluice rebuild` before it starts again',
      cause: error,
    })
  }
}
