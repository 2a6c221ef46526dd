import { shellWord } from '../../base/shell-word.ts'
import { type Check, fault, ok, warning } from './check.ts'
import type { DoctorTools } from './doctor-tools.ts'
import { readSecret } from './read-secret.ts'
import { secretFiles } from './targets.ts'

/** Modes and readability; what is in them is never shown. The token's file has a check of its own. */
export function checkSecretFiles({ config, uid, isDead }: DoctorTools): Check[] {
  return secretFiles(config).flatMap(({ file, what }) => {
    if (isDead(file)) return [fault('secret_files', file, `${what}: no answer from where it lies`)]
    const read = readSecret(file)
    if ('why' in read) {
      const hint = 'check that it is there, what it holds, and who may read it'
      return [fault('secret_files', file, `${what} cannot be read: ${read.why}`, hint)]
    }
    const { mode, uid: owner } = read.stat
    const word = shellWord(file)
    if ((mode & 0o077) !== 0) {
      const octal = (mode & 0o7777).toString(8)
      return [warning('secret_files', file, `${what} is open to group or others (mode ${octal})`, `chmod 600 ${word}`)]
    }
    if (owner !== 0 && uid !== undefined && owner !== uid) {
      return [warning('secret_files', file, `${what} belongs to another user (uid ${owner})`, `chown ${uid} ${word}`)]
    }
    return [ok('secret_files', file, `${what}: readable, and by its owner alone`)]
  })
}
