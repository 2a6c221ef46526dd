import type { Heartbeats } from '../base/run/heartbeat.ts'
import { programVersion } from '../base/run/process.ts'
import type { Clock } from '../base/time/time.ts'
import { readCa } from '../config/ca-file.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { openSecrets } from '../config/secrets.ts'
import { createRemote, type Remote, type RemoteOptions } from './remote.ts'

/** Opens the service as configured. Errors: `config.*`, `network.proxy_address`. */
export function openRemote(
  config: Config,
  token: () => string,
  clock: Clock,
  watched: { heartbeats?: Heartbeats; on_outcome?: RemoteOptions['on_outcome'] } = {},
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

/** Returns a function that opens the service for one use, with the token of that moment. */
export function remoteOpener(config: Config, clock: Clock): WithRemote {
  return async (use) => {
    const { secrets } = openSecrets(config)
    const remote = openRemote(config, () => secrets.token(), clock)
    return use(remote).finally(() => remote.close())
  }
}

export type WithRemote = <Answer>(use: (remote: Remote) => Promise<Answer>) => Promise<Answer>
