import type { Server } from 'node:http'
import { maxOpenFiles } from '../base/open-files.ts'
import { type Clock, minute_ms } from '../base/time.ts'

/**
 * Descriptors for what is no connection: databases, threads, files under way, pipes of the
 * processes that read documents.
 */
const reserved_descriptors = 128
/** An upload takes a connection and a file. */
const descriptors_of_upload = 2
const log_every_ms = minute_ms

/**
 * Keeps descriptors in reserve. Without a limit connections could take them all; then no file can
 * be opened, and Node says nothing of the connections that it cannot accept. A connection too many
 * is closed at once, and the log says so.
 */
export function limitConnections(
  servers: { api: Server; blob: Server },
  { clock, log }: { clock: Clock; log: (line: string) => void },
  max_open_files = maxOpenFiles() ?? Number.POSITIVE_INFINITY,
): void {
  if (!Number.isFinite(max_open_files)) return
  // Where there are few altogether, connections get a half of them.
  const descriptors = Math.max(max_open_files - reserved_descriptors, max_open_files / 2)
  const max_connections = Math.max(1, Math.floor(descriptors / (1 + descriptors_of_upload)))
  let logged_ms = Number.NEGATIVE_INFINITY
  for (const [name, server] of Object.entries(servers)) {
    server.maxConnections = max_connections
    server.on('drop', () => {
      const now_ms = clock.monotonic_ms()
      if (now_ms - logged_ms < log_every_ms) return
      logged_ms = now_ms
      log(
        `${name}: new connections are closed, for there are ${max_connections} already and only ${max_open_files} files may be open; ` +
          'raise it: ulimit -n, LimitNOFILE= of the unit',
      )
    })
  }
}
