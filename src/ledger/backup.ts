import { closeSync, openSync, renameSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import {
  openSqlite,
  openSqliteReadOnly,
  type Sqlite,
  translateSqliteError,
} from '../base/files/sqlite.ts'
import { causeOf, codeOf, isSluiceError, messageOf, SluiceError } from '../base/run/errors.ts'
import { ledger_migrations, openLedgerReadOnly } from './file/ledger-file.ts'
import {
  ledgerFile,
  lockLedger,
  makeStateDirectory,
  moveAside,
  moveDatabase,
  refuseNoRight,
  removeDatabase,
  syncDirectory,
  syncPath,
  ticketsFile,
} from './file/state-directory.ts'

export interface Backup {
  bytes: number
  /** Number of files that it knows in configured folders, gone ones included. */
  files: number
}

/**
 * Copies the ledger as it is at one moment. A running daemon is not disturbed, because a reader of
 * a write-ahead log blocks no writer. The target file is complete or absent, with mode 0600.
 * tickets.db is never copied: it holds secrets, and its loss costs only slots. `force` overwrites
 * an earlier backup, and nothing else. Errors: `ledger.none`, `account.no_right`, `usage.exists`,
 * `database.*`, `backup.unwritable`.
 */
export function backUpLedger(
  state_dir: string,
  file: string,
  { force }: { force: boolean },
): Backup {
  refuseTarget(file, force)
  const source = openLedgerReadOnly(state_dir, true)
  try {
    const files = countFiles(source)
    copyInto(source, file)
    return { bytes: statSync(file).size, files }
  } finally {
    source.close()
  }
}

function countFiles(source: Sqlite): number {
  try {
    // A ledger of an older format may lack what the views read.
    const of_folders = 'counts JOIN folders ON folders.id = counts.folder AND configured = 1'
    const files = source.prepare(`SELECT coalesce(sum(files), 0) FROM ${of_folders}`).pluck().get()
    return files as number
  } catch (error) {
    throw translateSqliteError(error, source.name)
  }
}

function refuseTarget(file: string, force: boolean): void {
  const there = statSync(file, { throwIfNoEntry: false })
  if (there === undefined) return
  const refused = (what: string, hint: string) =>
    new SluiceError({ code: 'usage.exists', message: `${file} ${what}`, hint })
  if (!there.isFile()) throw refused('is no file', 'name a file, which need not be there')
  if (!isOfLedger(file))
    throw refused('is there already, and is no backup of a ledger', 'name another file')
  if (!force) throw refused('is there already', '--force writes over it')
}

/** True also for a newer or partly damaged ledger: the beginning of the file shows what it is. */
function isOfLedger(file: string): boolean {
  let database: Sqlite | undefined
  try {
    database = openSqliteReadOnly(file, 'any format')
    return hasContents(database)
  } catch {
    // An unreadable file, or one that is no database, is not known to be a ledger.
    return false
  } finally {
    database?.close()
  }
}

function copyInto(source: Sqlite, file: string): void {
  const temporary = `${file}.${process.pid}.tmp`
  try {
    // SQLite accepts an empty target file. This one has mode 0600 from the beginning.
    rmSync(temporary, { force: true })
    closeSync(openSync(temporary, 'wx', 0o600))
    source.prepare('VACUUM INTO ?').run(temporary)
    syncPath(temporary, 'r+')
    renameSync(temporary, file)
    syncDirectory(dirname(file))
  } catch (error) {
    rmSync(temporary, { force: true })
    // If data is damaged, it is in the source, not in the target.
    const translated = translateSqliteError(
      error,
      codeOf(error)?.startsWith('SQLITE_CORRUPT') ? source.name : file,
    )
    if (isSluiceError(translated)) throw translated
    throw new SluiceError({
      code: 'backup.unwritable',
      message: `${file} cannot be written: ${causeOf(error)}`,
      hint:
        codeOf(error) === 'ENOENT'
          ? 'the directory must be there'
          : 'check who may write there, and the space on the disk',
      cause: error,
    })
  }
}

/**
 * Replaces the ledger by a backup and deletes its tickets. The old ledger is moved aside, and its
 * new name is returned. Errors: `account.no_right`, `ledger.locked`, `usage.backup` for an invalid
 * backup or the ledger itself, `database.*`.
 */
export function restoreLedger(
  state_dir: string,
  file: string,
  now_ms: number,
): { aside: string | undefined } {
  refuseItself(state_dir, file)
  const backup = openBackup(file)
  try {
    refuseNoRight(state_dir, [ledgerFile(state_dir)], 'write')
    makeStateDirectory(state_dir)
    const lock = lockLedger(state_dir, 'sluice restore')
    try {
      const restored = join(state_dir, 'ledger.db.restored')
      // Remove what an interrupted restore left: its log does not belong to this copy.
      removeDatabase(restored)
      copyInto(backup, restored)
      markRestored(restored, now_ms)
      const aside = moveAside(state_dir, 'replaced', now_ms)
      removeDatabase(ticketsFile(state_dir))
      moveDatabase(restored, ledgerFile(state_dir))
      syncDirectory(state_dir)
      return { aside }
    } finally {
      lock.release()
    }
  } finally {
    backup.close()
  }
}

/**
 * Has each project audited, because assets that a backup calls ready may be gone since. An audit
 * round that was running when the backup was made saw the state of that time, so it ends.
 */
function markRestored(file: string, now_ms: number): void {
  changeClosed(file, (database) => {
    database
      .prepare(
        'UPDATE audits SET wanted = 1, restored_ms = ?, began_ms = NULL, asked = 0, cursor = NULL, listed = 0',
      )
      .run(now_ms)
    // Assets may have been renamed after the backup. The audit shows their names.
    database.exec('DELETE FROM asset_names')
  })
}

/**
 * Puts the rebuilt, closed ledger of `new_dir` and its tickets in the place of the lost ones.
 * Returns the new path of the lost ledger; undefined without one. The caller holds both locks.
 */
export function putRebuiltInPlace(
  state_dir: string,
  new_dir: string,
  now_ms: number,
): string | undefined {
  forgetWanted(ledgerFile(new_dir))
  const aside = moveAside(state_dir, 'damaged', now_ms)
  removeDatabase(ticketsFile(state_dir))
  moveDatabase(ticketsFile(new_dir), ticketsFile(state_dir))
  moveDatabase(ledgerFile(new_dir), ledgerFile(state_dir))
  syncDirectory(state_dir)
  return aside
}

/** Deletes the usage for the upload limit: it counts the rebuilt contents as new files. */
function forgetWanted(file: string): void {
  changeClosed(file, (database) => database.exec(`DELETE FROM usage WHERE what = 'wanted'`))
}

/** Changes a ledger that no process has open. Afterwards the file alone has everything. */
function changeClosed(file: string, change: (database: Sqlite) => void): void {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  try {
    change(database)
    database.pragma('wal_checkpoint(TRUNCATE)')
  } finally {
    database.close()
  }
}

/** Refuses the ledger itself under any name, links included. */
function refuseItself(state_dir: string, file: string): void {
  const one = statSync(file, { throwIfNoEntry: false })
  const other = statSync(ledgerFile(state_dir), { throwIfNoEntry: false })
  if (!one || !other || one.dev !== other.dev || one.ino !== other.ino) return
  throw new SluiceError({
    code: 'usage.backup',
    message: `${file} is the ledger itself, which is left as it is`,
    hint: 'name a file that `sluice backup` wrote',
  })
}

function openBackup(file: string): Sqlite {
  let backup: Sqlite | undefined
  try {
    backup = openSqliteReadOnly(file, ledger_migrations)
    const fault = faultOf(backup)
    if (fault !== undefined) throw new Error(fault)
    return backup
  } catch (error) {
    backup?.close()
    if (isSluiceError(error, 'database.newer') || isSluiceError(error, 'database.older'))
      throw error
    throw new SluiceError({
      code: 'usage.backup',
      message: `${file} is no sound backup of a ledger: ${messageOf(error)}`,
      hint: 'name a file that `sluice backup` wrote; without one, `sluice rebuild` makes the ledger again',
      cause: error,
    })
  }
}

/** `none`: it is missing or was never used. `damaged`: SQLite cannot read all of it. */
export type LedgerCondition = 'none' | 'damaged' | 'sound'

/** Reads the whole ledger. Errors: `database.newer`, and faults of rights or disks. */
export function conditionOfLedger(state_dir: string): LedgerCondition {
  let database: Sqlite | undefined
  try {
    database = openSqliteReadOnly(ledgerFile(state_dir), ledger_migrations)
    if (database.pragma('user_version', { simple: true }) === 0) return 'none'
    if (faultOf(database) !== undefined) return 'damaged'
    return isUnused(database) ? 'none' : 'sound'
  } catch (error) {
    const fault = translateSqliteError(error, ledgerFile(state_dir))
    if (isSluiceError(fault, 'database.missing')) return 'none'
    if (isSluiceError(fault, 'database.damaged')) return 'damaged'
    throw fault
  } finally {
    database?.close()
  }
}

/** True if it has no file, content, run or covered content. A pause or a folder does not count. */
function isUnused(database: Sqlite): boolean {
  const used = ['files', 'contents', 'runs', 'covered'].map(
    (table) => `EXISTS (SELECT 1 FROM ${table})`,
  )
  return (
    database
      .prepare(`SELECT ${used.join(' OR ')}`)
      .pluck()
      .get() === 0
  )
}

/** The first fault; undefined if it is sound. Another program's database has no `contents`. */
function faultOf(database: Sqlite): string | undefined {
  const [first] = database.pragma('integrity_check(1)') as { integrity_check: string }[]
  if (first?.integrity_check !== 'ok') return first?.integrity_check ?? 'it cannot be checked'
  return hasContents(database) ? undefined : 'it is a database of something else'
}

function hasContents(database: Sqlite): boolean {
  return database.prepare(`SELECT 1 FROM sqlite_master WHERE name = 'contents'`).get() !== undefined
}
