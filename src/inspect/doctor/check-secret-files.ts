import type { Stats } from 'node:fs'
import { readBeginning } from '../../base/files/atomic-file.ts'
import type { Paths } from '../../base/files/paths.ts'
import { isSluiceError, systemWords } from '../../base/run/errors.ts'
import { shellWord } from '../../base/text/format.ts'
import type { ServiceConfig } from '../../config/config.ts'
import { secretFiles } from '../../config/resolve/targets.ts'
import { openSecrets, type Secrets } from '../../config/secrets.ts'
import { attempt } from '../plan/check-path.ts'
import { type Check, type DoctorTools, findings } from './check.ts'

const max_secret_bytes = 16_384

/** Checks modes and access of secret files, and shows no content. The token has its own check. */
export function checkSecretFiles({ config, uid, isUnresponsive }: DoctorTools): Check[] {
  return secretFiles(config).map(({ file, what }) => {
    const { ok, warning, fault } = findings('secret_files', file)
    if (isUnresponsive(file)) return fault(`${what}: its path does not answer`)
    const read = readSecret(file)
    if ('why' in read) {
      return fault(
        `${what} cannot be read: ${read.why}`,
        'check that it exists, what it contains, and who may read it',
      )
    }
    const { mode, uid: owner } = read.stat
    const word = shellWord(file)
    if ((mode & 0o077) !== 0) {
      return warning(
        `${what} is open to group or others (mode ${(mode & 0o7777).toString(8)})`,
        `chmod 600 ${word}`,
      )
    }
    if (owner !== 0 && uid !== undefined && owner !== uid) {
      return warning(`${what} belongs to another user (uid ${owner})`, `chown ${uid} ${word}`)
    }
    return ok(`${what}: readable, and by its owner alone`)
  })
}

/** Returns stat and text of a secret file; or why there is none, as an error code or a sentence. */
export function readSecret(file: string): { stat: Stats; text: string } | { why: string } {
  return attempt(
    () => {
      const { stat, bytes } = readBeginning(file, max_secret_bytes)
      if (!stat.isFile()) return { why: 'it is not a file' }
      const text = bytes.toString('utf8').trim()
      return text === '' ? { why: 'it is empty' } : { stat, text }
    },
    (code) => ({ why: systemWords(code) }),
  )
}

/**
 * Checks the token and shows only its source. `credential_file` is the file that the unit passes as
 * the credential `token`. It is read if no other source is set and this user may read it.
 * `is_named_wrongly`: `service` or its token_file has a fault. `secrets`: undefined without a
 * usable token.
 */
export function checkToken(
  service: Pick<ServiceConfig, 'token_file'>,
  credential_file: string | undefined,
  options: { env?: NodeJS.ProcessEnv | undefined; paths: Paths; is_named_wrongly?: boolean },
): { checks: Check[]; secrets: Secrets | undefined } {
  const { env, paths, is_named_wrongly = false } = options
  try {
    const { secrets, warnings } = openSecrets({ service: service as ServiceConfig }, env, paths)
    const { ok, warning } = findings('token', secrets.source)
    return {
      checks:
        warnings.length > 0 ? warnings.map((line) => warning(line)) : [ok('found and well formed')],
      secrets,
    }
  } catch (error) {
    if (!isSluiceError(error)) throw error
    const { code, message, hint } = error
    const { warning, fault } = findings('token', 'token')
    const none = (check: Check) => ({ checks: [check], secrets: undefined })
    if (code !== 'account.token_missing') return none(fault(message, hint))
    if (credential_file !== undefined) {
      // A missing file is tried, too: reading it reports the fault.
      const is_closed = ![undefined, 'ENOENT'].includes(paths.look(credential_file).closed)
      if (!is_closed) return checkToken({ token_file: credential_file }, undefined, { env, paths })
      const text = 'not tried: systemd hands it to the service, and this user may not read it'
      return none(findings('token', credential_file).warning(text, 'sudo sluice doctor tries it'))
    }
    if (is_named_wrongly)
      return none(
        warning(
          'not tried: the part of the configuration that names it is not in order, see above',
        ),
      )
    return none(fault(message, hint))
  }
}
