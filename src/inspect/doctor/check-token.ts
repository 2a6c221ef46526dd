import { accessSync, constants } from 'node:fs'
import { codeOf, isSluiceError } from '../../base/errors.ts'
import type { ServiceConfig } from '../../config/config.ts'
import { openSecrets, type Secrets } from '../../config/secrets.ts'
import { type Check, fault, ok, warning } from './check.ts'

/**
 * The token is not shown, only where it came from. What systemd hands to the service alone (`credential_file`) is read where this
 * user may. `secrets` is undefined where there is none to try. `is_named_wrongly`: the configuration names a file, and not in order.
 */
export function checkToken(
  service: Pick<ServiceConfig, 'token_file'>,
  credential_file: string | undefined,
  env?: NodeJS.ProcessEnv,
  is_named_wrongly = false,
): { checks: Check[]; secrets: Secrets | undefined } {
  try {
    const { secrets, warnings } = openSecrets({ service: service as ServiceConfig }, env)
    const checks = warnings.map((line) => warning('token', secrets.source, line))
    return {
      checks: checks.length > 0 ? checks : [ok('token', secrets.source, 'there, and of the right form')],
      secrets,
    }
  } catch (error) {
    if (!isSluiceError(error)) throw error
    if (error.code === 'account.token_missing' && credential_file !== undefined) {
      if (isReadable(credential_file)) return checkToken({ token_file: credential_file }, undefined, env)
      const text = 'not tried: systemd hands it to the service, and this user may not read it'
      return {
        checks: [warning('token', credential_file, text, 'sudo sluice doctor tries it')],
        secrets: undefined,
      }
    }
    if (error.code === 'account.token_missing' && is_named_wrongly) {
      const checks = [warning('token', 'token', 'not tried: service.token_file is not in order, see above')]
      return { checks, secrets: undefined }
    }
    return { checks: [fault('token', 'token', error.message, error.hint)], secrets: undefined }
  }
}

/** One that is not there counts: reading it says so. */
function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK)
    return true
  } catch (error) {
    return codeOf(error) === 'ENOENT'
  }
}
