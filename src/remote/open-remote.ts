import { askingPaths } from '../base/files/ask-paths.ts'
import type { Heartbeats } from '../base/run/heartbeat.ts'
import { programVersion } from '../base/run/process.ts'
import type { Clock } from '../base/time/time.ts'
import { readCa } from '../config/ca-file.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { openSecrets } from '../config/secrets.ts'
import { createRemote, type Remote, type RemoteOptions } from './remote.ts'

/** Opens the service as configured. Errors: `config.*`, `network.proxy_address`. */
export async function openRemote(
  config: Config,
  token: () => string,
  clock: Clock,
  watched: { heartbeats?: Heartbeats; on_outcome?: RemoteOptions['on_outcome'] } = {},
): Promise<Remote> {
  const { service, uploads } = config
  const { ca_file } = service
  const ca = ca_file && (await askingPaths((paths) => readCa(ca_file, paths)))
  return createRemote({
    base_url: service.base_url,
    token,
    connections: uploads.concurrency,
    ca,
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
    const { secrets } = await askingPaths((paths) => openSecrets(config, undefined, paths))
    const remote = await openRemote(config, () => secrets.token(), clock)
    return use(remote).finally(() => remote.close())
  }
}

export type WithRemote = <Answer>(use: (remote: Remote) => Promise<Answer>) => Promise<Answer>
