import { askingPaths, isNoAnswer } from '../base/files/ask-paths.ts'
import type { Heartbeats } from '../base/run/heartbeat.ts'
import { programVersion } from '../base/run/process.ts'
import type { Clock } from '../base/time/time.ts'
import { readCa } from '../config/ca-file.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import { openSecrets } from '../config/secrets.ts'
import { createRemote, type Remote, type RemoteOptions } from './remote.ts'

/** The certificates of `service.ca_file`. */
export interface Authority {
  file?: string
  ca?: string
}

/**
 * Reads the certificates, or returns the `earlier` ones of a file that does not answer. Errors
 * `config.ca_file`, `path.no_answer`.
 */
export async function readAuthority(
  file: string | undefined,
  earlier?: Authority,
): Promise<Authority> {
  if (file === undefined) return {}
  try {
    return { file, ca: await askingPaths((paths) => readCa(file, paths)) }
  } catch (error) {
    if (isNoAnswer(error) && earlier?.file === file) return earlier
    throw error
  }
}

/** Opens the service as configured. Errors: `config.*`, `network.proxy_address`. */
export async function openRemote(
  { service, uploads }: Pick<Config, 'service' | 'uploads'>,
  token: () => string,
  clock: Clock,
  watched: {
    authority?: Authority
    heartbeats?: Heartbeats
    on_outcome?: RemoteOptions['on_outcome']
  } = {},
): Promise<Remote> {
  const { authority = await readAuthority(service.ca_file), ...rest } = watched
  return createRemote({
    base_url: service.base_url,
    token,
    connections: uploads.concurrency,
    ca: authority.ca,
    proxy: readEnvironment().proxy,
    timeouts: { answer_ms: uploads.request_timeout_ms, stall_ms: uploads.stall_timeout_ms },
    user_agent: `sluice/${programVersion()}`,
    clock,
    ...rest,
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
