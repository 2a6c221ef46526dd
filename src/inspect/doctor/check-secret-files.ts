import type { Stats } from 'node:fs'
import { readBeginning } from '../../base/atomic-file.ts'
import { shellWord } from '../../base/shell-word.ts'
import { secretFiles } from '../../config/targets.ts'
import { attempt } from '../look-at.ts'
import { type Check, findings } from './check.ts'
import type { DoctorTools } from './doctor-tools.ts'

const largest_bytes = 16_384

/** Modes and readability; what is in them is never shown. The token's file has a check of its own. */
export function checkSecretFiles({ config, uid, isDead }: DoctorTools): Check[] {
  return secretFiles(config).map(({ file, what }) => {
    const { ok, warning, fault } = findings('secret_files', file)
    if (isDead(file)) return fault(`${what}: no answer from where it lies`)
    const read = readSecret(file)
    if ('why' in read) {
      return fault(`${what} cannot be read: ${read.why}`, 'check that it is there, what it holds, and who may read it')
    }
    const { mode, uid: owner } = read.stat
    const word = shellWord(file)
    if ((mode & 0o077) !== 0) {
      return warning(`${what} is open to group or others (mode ${(mode & 0o7777).toString(8)})`, `chmod 600 ${word}`)
    }
    if (owner !== 0 && uid !== undefined && owner !== uid) {
      return warning(`${what} belongs to another user (uid ${owner})`, `chown ${uid} ${word}`)
    }
    return ok(`${what}: readable, and by its owner alone`)
  })
}

/** What a file that holds a secret is like, and its text; or why it cannot be read, as the code of the system. */
export function readSecret(file: string): { stat: Stats; text: string } | { why: string } {
  return attempt(
    () => {
      const { stat, bytes } = readBeginning(file, largest_bytes)
      if (!stat.isFile()) return { why: 'it is not a file' }
      const text = bytes.toString('utf8').trim()
      return text === '' ? { why: 'it is empty' } : { stat, text }
    },
    (why) => ({ why }),
  )
}
