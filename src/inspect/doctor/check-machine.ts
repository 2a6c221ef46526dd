import { createHash, getFips } from 'node:crypto'
import { sqliteDriver } from '../../base/files/sqlite-driver.ts'
import { isSluiceError, messageOf } from '../../base/run/errors.ts'
import { raiseOpenFiles } from '../../base/run/open-files.ts'
import { maxOpenFiles } from '../../base/run/process.ts'
import { type Check, findings } from './check.ts'

/** As `engines` in package.json. */
const min_node = [20, 19] as const

export function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number)
  const { ok, warning, fault } = findings('node', `Node ${version}`)
  const hint = 'install Node 22 or newer (nodejs.org)'
  const is_old = major < min_node[0] || (major === min_node[0] && minor < min_node[1])
  if (is_old) return fault(`too old: Sluice needs at least ${min_node.join('.')}`, hint)
  if (major % 2 === 1) return warning('its line is supported for half a year only', hint)
  return ok('new enough')
}

/** The service recognises files by md5, and FIPS mode forbids it. No secret depends on it. */
export function checkMd5(hash: () => unknown = () => createHash('md5').update('').digest()): Check {
  const { ok, fault } = findings('md5', 'md5')
  try {
    hash()
    return ok('available')
  } catch (error) {
    const mode = getFips() === 1 ? ' (FIPS mode)' : ''
    const hint =
      'let the unit use an OpenSSL configuration without FIPS: Environment=OPENSSL_CONF=/dev/null'
    const text = `it is not available${mode}: ${messageOf(error)}; no file can be recognised, so none is uploaded`
    return fault(text, hint)
  }
}

/** npm skips a better-sqlite3 that it cannot build, without a message. */
export function checkSqlite(load: () => unknown = sqliteDriver): Check[] {
  try {
    load()
    return []
  } catch (error) {
    const hint = isSluiceError(error) ? error.hint : undefined
    return [findings('sqlite', 'better-sqlite3').fault(messageOf(error), hint)]
  }
}

/** Checks the limit of this shell for a daemon; the unit has its own (LimitNOFILE=). */
export function checkOpenFiles(needed: number, limits?: string): Check[] {
  const soft = maxOpenFiles(limits)
  if (soft === undefined) return []
  const { ok, fault } = findings('open_files', 'ulimit -n')
  if (soft >= needed) return [ok(`${Number.isFinite(soft) ? soft : 'unlimited'}, enough`)]
  const text = `${soft} files may be open at once, here and in what is started from here, and this configuration needs ${needed}`
  return [fault(text, raiseOpenFiles(needed))]
}
