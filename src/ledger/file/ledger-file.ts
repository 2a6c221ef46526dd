import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { type Migration, openSqlite, type Sqlite } from '../../base/files/sqlite.ts'
import { codeOf, messageOf, SluiceError } from '../../base/run/errors.ts'
import { course_schema } from './schema-course.ts'
import { files_schema } from './schema-files.ts'
import { prompts_schema } from './schema-prompts.ts'

/**
 * Pages of the log: 16 MB, four times SQLite's default. A first scan writes the same pages again
 * and again.
 */
const pages_between_checkpoints = 4_000

/** Opens a ledger for writing and brings it to the newest version. */
export function openLedgerFile(file: string): Sqlite {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  database.pragma(`wal_autocheckpoint = ${pages_between_checkpoints}`)
  return database
}

/**
 * Writes the log back into the ledger file before it is closed. SQLite does this only when the last
 * connection closes, and not if that is a reader's. Then a copy of the file alone would be old. If
 * this fails (a full disk), nothing is lost: SQLite reads the log together with the file.
 */
export function emptyLogOf(database: Sqlite): void {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    process.emitWarning(`the log of the ledger could not be written back: ${messageOf(error)}`)
  }
}

/**
 * Migrations of ledger.db. Formats 1 to 10 were used during its development. The first release
 * begins with format 11, and migrations follow it.
 */
export const ledger_migrations: readonly Migration[] = [
  { version: 11, sql: [files_schema, prompts_schema, course_schema].join('\n') },
]

/*
 * tickets.db stands apart from the ledger, with secure_delete, so that backups and logs never
 * contain tickets. A ticket lost in a power cut costs one slot. So its commits need not reach the
 * disk at once: synchronous NORMAL.
 */
const tickets = `
CREATE TABLE tickets (
  content INTEGER PRIMARY KEY,
  asset_id TEXT NOT NULL,
  upload_url TEXT NOT NULL,
  upload_method TEXT NOT NULL,
  upload_headers TEXT NOT NULL,
  expires_at_ms INTEGER NOT NULL
) STRICT;
`

export const ticket_migrations: readonly Migration[] = [{ version: 1, sql: tickets }]

const not_allowed: readonly (string | undefined)[] = ['EACCES', 'EPERM']

/**
 * Throws if this user may not use these paths as `wish` says. Without this check SQLite reports
 * "cannot open", and existsSync "not there". A missing path is no error here. Errors:
 * `account.no_right`, whose hint names the user to run as; `database.read_only` if the file system
 * is read-only.
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

/**
 * The user as sudo takes it. Users of a directory service are not in the file, so sudo gets their
 * number.
 */
function nameOf(uid: number): string {
  const line = readFileSync('/etc/passwd', 'utf8')
    .split('\n')
    .find((text) => text.split(':')[2] === String(uid))
  return line?.split(':')[0] ?? `'#${uid}'`
}

/**
 * Another user could not write either. A kernel makes a file system read-only when its disk fails,
 * and a systemd unit makes every path read-only that it does not name.
 */
function readOnly(state_dir: string, cause: unknown): SluiceError {
  return new SluiceError({
    code: 'database.read_only',
    message: `nothing can be recorded: ${state_dir} lies on a file system that is read-only here`,
    hint: 'dmesg says whether the disk has failed; under systemd `sluice install` opens state_dir; else mount it for writing, or set another state_dir',
    cause,
  })
}
