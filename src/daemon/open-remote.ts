import { X509Certificate } from 'node:crypto'
import { messageOf, SluiceError } from '../base/errors.ts'
import type { Pulses } from '../base/pulse.ts'
import { readCertificates } from '../base/small-file.ts'
import type { Clock } from '../base/time.ts'
import { programVersion } from '../base/version.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { createRemote, type Remote, type RemoteOptions } from '../remote/remote.ts'

/** The service as the configuration and the environment have it. Errors: `config.*`, `network.proxy_address`. */
export function openRemote(
  config: Config,
  token: () => string,
  clock: Clock,
  watched: { pulses?: Pulses; on_outcome?: RemoteOptions['on_outcome'] } = {},
): Remote {
  const { service, uploads } = config
  return createRemote({
    base_url: service.base_url,
    token,
    connections: uploads.concurrency,
    ca: service.ca_file === undefined ? undefined : readCa(service.ca_file),
    proxy: readEnvironment().proxy,
    timeouts: { answer_ms: uploads.request_timeout_ms, stall_ms: uploads.stall_timeout_ms },
    user_agent: `sluice/${programVersion()}`,
    clock,
    ...watched,
  })
}

/** The certificates of `service.ca_file`. Error `config.ca_file`. */
export function readCa(file: string): string {
  try {
    const text = readCertificates(file)
    // What is no certificate would be left out in silence, and every connection would then fail for another reason.
    new X509Certificate(text)
    return text
  } catch (error) {
    throw new SluiceError({
      code: 'config.ca_file',
      message: `service.ca_file ${file} cannot be used: ${messageOf(error)}`,
      hint: 'give the path of a PEM file with certificates that this user can read',
      cause: error,
    })
  }
}
