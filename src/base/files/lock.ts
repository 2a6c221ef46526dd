import { chmodSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { codeOf, isSluiceError, SluiceError } from '../run/errors.ts'
import { openSqliteBare } from './sqlite.ts'

/**
 * Holds a lock until `release`. The kernel also frees it when the process dies, even by kill -9.
 * `file` is an empty SQLite file for this alone; FILE.holder names the process and its `command`.
 * Error `database.locked`, without a wait: its message is that name.
 */
export function holdLock(file: string, command: string): { release(): void } {
  const name_file = `${file}.holder`
  try {
    const held = openSqliteBare(file, { timeout: 0 }, (database) => {
      chmodSync(file, 0o600)
      database.exec('BEGIN EXCLUSIVE')
    })
    // The directory may be shared with other machines and with containers.
    writeName(name_file, `${command} (process ${process.pid} on ${hostname()})`)
    return { release: () => held.close() }
  } catch (error) {
    if (!isSluiceError(error, 'database.locked')) throw error
    throw new SluiceError({ code: error.code, message: readName(name_file), cause: error })
  }
}

/** The name takes the place of one that a kill has left, even of another user. */
function writeName(file: string, name: string): void {
  try {
    rmSync(file, { force: true })
    writeFileSync(file, name, { mode: 0o600, flag: 'wx' })
  } catch (error) {
    // The lock holds all the same, for example on a full disk.
    if (codeOf(error) === undefined) throw error
  }
}

function readName(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return 'it has not written down its name'
  }
}
