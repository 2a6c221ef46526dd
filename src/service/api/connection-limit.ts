import type { Server } from 'node:http'
import { guardConnections } from '../../base/net/connection-guard.ts'
import { closeServer } from '../../base/net/http-server.ts'
import { isLoopbackAddress } from '../../base/net/loopback.ts'
import { maxOpenFiles } from '../../base/run/process.ts'
import { counted } from '../../base/text/format.ts'
import { type Clock, minute_ms } from '../../base/time/time.ts'
import type { RequestEntry } from '../observer.ts'

/** Descriptors for everything but connections: databases, threads, files, pipes to processes. */
const reserved_descriptors = 128
/** An upload needs one descriptor for the connection and one for the file. */
const descriptors_of_upload = 2
const log_every_ms = minute_ms

/**
 * Limits the connections of each server. Without a limit they could take all descriptors. Then no
 * file can be opened, and Node does not report the connections that it cannot accept. A connection
 * above the limit takes the place of one without a request, or is closed at once. The log reports
 * this at most once a minute. One address gets half of the places, unless it is this machine.
 */
export function limitConnections(
  servers: { api: Server; blob: Server },
  { clock, log }: { clock: Clock; log: (line: string) => void },
  max_open_files = maxOpenFiles() ?? Number.POSITIVE_INFINITY,
): void {
  if (!Number.isFinite(max_open_files)) return
  // With few descriptors in total, connections get half of them.
  const descriptors = Math.max(max_open_files - reserved_descriptors, max_open_files / 2)
  const max_connections = Math.max(1, Math.floor(descriptors / (1 + descriptors_of_upload)))
  let logged_ms = Number.NEGATIVE_INFINITY
  for (const [name, server] of Object.entries(servers)) {
    const onFull = () => {
      const now_ms = clock.monotonic_ms()
      if (now_ms - logged_ms < log_every_ms) return
      logged_ms = now_ms
      log(
        `${name}: connections are closed for new ones: ${max_connections} may be open, because this process may open only ${max_open_files} files; ` +
          'raise the limit with ulimit -n, or LimitNOFILE= in the unit',
      )
    }
    guardConnections(server, {
      max: max_connections,
      max_an_address: Math.ceil(max_connections / 2),
      isShared: (address = '') => isLoopbackAddress(address),
      // An upload takes its time.
      has_small_bodies: name === 'api',
      onFull,
    })
  }
}

interface Finishing {
  servers: readonly Server[]
  in_flight: ReadonlySet<RequestEntry>
  grace_ms: number
  log: (line: string) => void
}

/** Accepts no new connection, lets requests finish for `grace_ms`, then cuts the rest. */
export async function finishRequests({
  servers,
  in_flight,
  grace_ms,
  log,
}: Finishing): Promise<void> {
  const waited_for = [...in_flight]
  if (waited_for.length > 0)
    log(`the service stops: it waits up to ${grace_ms / 1_000} s for ${nameOf(waited_for)}`)
  const late = new Set<RequestEntry>()
  const noteLate = () => {
    for (const entry of in_flight) late.add(entry)
  }
  await Promise.all(servers.map((server) => closeServer(server, grace_ms, noteLate)))
  if (late.size > 0)
    log(`the service stopped: ${nameOf([...late])} took too long and got no answer`)
}

function nameOf(requests: readonly RequestEntry[]): string {
  const uploads = requests.filter(({ place }) => place === 'put').length
  const calls = requests.length - uploads
  const counts = [
    ...(uploads > 0 ? [counted(uploads, 'upload')] : []),
    ...(calls > 0 ? [counted(calls, 'call')] : []),
  ]
  return counts.join(' and ')
}
