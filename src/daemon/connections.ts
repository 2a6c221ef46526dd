import { createHttpClient, type HttpClient } from '../base/net/http-client.ts'
import { type Clock, second_ms } from '../base/time/time.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { Secrets } from '../config/secrets.ts'
import { type Authority, openRemote, readAuthority } from '../remote/open-remote.ts'
import type { RemoteOptions } from '../remote/remote.ts'
import type { Tools } from './tools.ts'

export type Connections = Awaited<ReturnType<typeof openConnections>>

/**
 * Opens all outgoing connections of one config. It checks the config's settings before any of them
 * is in force. `earlier`: those of the configuration in force. Errors: `config.*`,
 * `network.proxy_address`; nothing stays open then.
 */
export async function openConnections(
  config: Config,
  first_secrets: Secrets,
  { clock, heartbeats, measures, report }: Tools,
  earlier?: { authority: Authority },
) {
  let secrets = first_secrets
  const on_outcome: RemoteOptions['on_outcome'] = (call, outcome) =>
    measures.current?.request(call, outcome)
  const authority = await readAuthority(config.service.ca_file, earlier?.authority)
  if (authority === earlier?.authority) {
    const text = 'does not answer, so the earlier certificates stay in force'
    report.trouble('reload', `${authority.file} ${text}`, 'error')
  }
  const watched = { authority, heartbeats, on_outcome }
  const remote = await openRemote(config, () => secrets.token(), clock, watched)
  /** For the receivers of reports; these requests never carry the token of the service. */
  const receivers = openReceivers(clock)
  return {
    remote,
    receivers,
    authority,
    /** Reads the token from its source again; true if it has changed. */
    reloadToken: () => secrets.reload(),
    /** Uses this token for further calls. Call it only if the service is the same. */
    takeToken(newer: Secrets): void {
      secrets = newer
    },
    /** Ends every request at once. */
    async close(): Promise<void> {
      await Promise.all([remote.close(), receivers.close()])
    },
  }
}

/** The client for receivers: they answer within seconds, and one that hangs is retried. */
export function openReceivers(clock: Clock): HttpClient {
  const patience_ms = 30 * second_ms
  const timeouts = {
    connect_ms: patience_ms,
    answer_ms: patience_ms,
    body_ms: patience_ms,
    stall_ms: patience_ms,
  }
  const { proxy } = readEnvironment()
  return createHttpClient({ connections: 4, proxy, timeouts, max_body_bytes: 65_536, clock })
}
