import { createHttpClient, type HttpClient } from '../base/http-client.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Config } from '../config/config.ts'
import { readEnvironment } from '../config/environment.ts'
import type { Remote, RemoteOptions } from '../remote/remote.ts'
import { openRemote } from './open-remote.ts'
import type { Tools } from './tools.ts'

/** What goes out of the machine, as one config has it. */
export interface Connections {
  remote: Remote
  /** To the receivers of reports, never with our token. */
  receivers: HttpClient
  /** Ends every request at once. */
  close(): Promise<void>
}

/** Errors: `config.*`, `network.proxy_address`; nothing stays open then. */
export function openConnections(config: Config, token: () => string, { clock, pulses, measures }: Tools): Connections {
  const on_outcome: RemoteOptions['on_outcome'] = (call, outcome) => measures.current?.request(call, outcome)
  const remote = openRemote(config, token, clock, { pulses, on_outcome })
  const receivers = openReceivers(clock)
  return { remote, receivers, close: async () => void (await Promise.all([remote.close(), receivers.close()])) }
}

/** Receivers answer within seconds; one that hangs is tried again later. Of their answers a few words are shown. */
export function openReceivers(clock: Clock): HttpClient {
  const patience_ms = 30 * second_ms
  const timeouts = { connect_ms: patience_ms, answer_ms: patience_ms, body_ms: patience_ms, stall_ms: patience_ms }
  const { proxy } = readEnvironment()
  return createHttpClient({ connections: 4, proxy, timeouts, max_body_bytes: 65_536, clock })
}
