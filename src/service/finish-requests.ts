import type { Server } from 'node:http'
import { closeServer } from '../base/http-server.ts'
import type { RequestEntry } from './observer.ts'

interface Finishing {
  servers: readonly Server[]
  in_flight: ReadonlySet<RequestEntry>
  grace_ms: number
  log: (line: string) => void
}

/** Takes no new connection, lets what is in flight finish for `grace_ms`, then cuts the rest; says what it waits for, and what it cut. */
export async function finishRequests({ servers, in_flight, grace_ms, log }: Finishing): Promise<void> {
  const waited_for = [...in_flight]
  if (waited_for.length > 0) log(`stopping: waits up to ${grace_ms / 1_000} s for ${nameOf(waited_for)}`)
  const late = new Set<RequestEntry>()
  const noteLate = () => {
    for (const entry of in_flight) late.add(entry)
  }
  await Promise.all(servers.map((server) => closeServer(server, grace_ms, noteLate)))
  if (late.size > 0) log(`stopped: ${nameOf([...late])} took longer and got no answer`)
}

function nameOf(requests: readonly RequestEntry[]): string {
  const uploads = requests.filter(({ place }) => place === 'put').length
  const counts = [
    ['upload', uploads],
    ['call', requests.length - uploads],
  ] as const
  return counts
    .filter(([, count]) => count > 0)
    .map(([word, count]) => `${count} ${word}${count === 1 ? '' : 's'}`)
    .join(' and ')
}
