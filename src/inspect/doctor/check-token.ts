import { constants } from 'node:fs'
import { isSluiceError } from '../../base/errors.ts'
import type { ServiceConfig } from '../../config/config.ts'
import { openSecrets, type Secrets } from '../../config/secrets.ts'
import { accessFault } from '../look-at.ts'
import { type Check, findings } from './check.ts'

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
    const { ok, warning } = findings('token', secrets.source)
    return {
      checks: warnings.length > 0 ? warnings.map((line) => warning(line)) : [ok('there, and of the right form')],
      secrets,
    }
  } catch (error) {
    if (!isSluiceError(error)) throw error
    const { code, message, hint } = error
    const { warning, fault } = findings('token', 'token')
    const none = (check: Check) => ({ checks: [check], secrets: undefined })
    if (code !== 'account.token_missing') return none(fault(message, hint))
    if (credential_file !== undefined) {
      // One that is not there counts: reading it says so.
      const is_closed = ![undefined, 'ENOENT'].includes(accessFault(credential_file, constants.R_OK))
      if (!is_closed) return checkToken({ token_file: credential_file }, undefined, env)
      const text = 'not tried: systemd hands it to the service, and this user may not read it'
      return none(findings('token', credential_file).warning(text, 'sudo sluice doctor tries it'))
    }
    if (is_named_wrongly) return none(warning('not tried: service.token_file is not in order, see above'))
    return none(fault(message, hint))
  }
}
