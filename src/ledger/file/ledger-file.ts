import { accessSync, constants, readFileSync, statSync } from 'node:fs'
import { type Migration, openSqlite, type Sqlite } from '../../base/files/sqlite.ts'
import { codeOf, messageOf, SluiceError } from '../../base/run/errors.ts'
import { course_schema } from './schema-course.ts'
import { files_schema } from './schema-files.ts'
import { prompts_schema } from './schema-prompts.ts'

/** 16 MB of log: four times SQLite's default, since the same pages are written again and again during a first scan. */
const pages_between_checkpoints = 4_000

/** For writing, brought to the newest version. */
export function openLedgerFile(file: string): Sqlite {
  const database = openSqlite({ file, migrations: ledger_migrations, synchronous: 'FULL' })
  database.pragma(`wal_autocheckpoint = ${pages_between_checkpoints}`)
  return database
}

/**
 * Before it is closed. SQLite does this only for the last that closes, and a reader may be it: then the file alone, copied, would be
 * an old one. Where it fails (a full disk) nothing is lost: the log beside the file is read with it.
 */
export function emptyLogOf(database: Sqlite): void {
  try {
    database.pragma('wal_checkpoint(TRUNCATE)')
  } catch (error) {
    process.emitWarning(`the log of the ledger could not be written back: ${messageOf(error)}`)
  }
}

/** ledger.db. Formats 1 to 10 were those of its development. The first release begins with this one, and migrations after it. */
export const ledger_migrations: readonly Migration[] = [
  { version: 11, sql: [files_schema, prompts_schema, course_schema].join('\n') },
]

/*
 * tickets.db, apart from the ledger so that backups and logs never see it, with secure_delete. A ticket lost in a power cut
 * costs one slot, so its commits need not reach the platter: synchronous NORMAL.
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
