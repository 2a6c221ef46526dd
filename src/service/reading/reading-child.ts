import { readFileSync } from 'node:fs'
import { type Extracted, extractDocument } from '../ingest/extract-document.ts'
import type { ChildMessage, ReadRequest } from './reading-process.ts'

/**
 * The program of the child process that reads documents. It has no environment, writes no files and
 * opens no connections. It ends with its parent: then the channel closes, and nothing else keeps it
 * alive.
 */
process.on('message', async (request: ReadRequest) => say({ ...(await read(request)), ...use() }))
say({ started: true })

async function read({ place, limits, ...named }: ReadRequest): Promise<Extracted> {
  let bytes: Buffer
  try {
    bytes = 'path' in place ? readFileSync(place.path) : Buffer.from(place.bytes)
  } catch {
    return { unreadable: 'its bytes cannot be read from the disk' }
  }
  return extractDocument({ ...named, bytes }, limits)
}

function use() {
  const { user, system } = process.cpuUsage()
  return { cpu_ms: (user + system) / 1_000, peak_bytes: peakBytes() }
}

/**
 * Bytes. The peak of resident memory of this program. `maxrss` of rusage would begin with the size
 * of the parent process (exec in the kernel), so it is used only without /proc.
 */
function peakBytes(): number {
  try {
    return (
      Number(/^VmHWM:\s+(\d+) kB$/m.exec(readFileSync('/proc/self/status', 'utf8'))?.[1]) * 1_024
    )
  } catch {
    return process.resourceUsage().maxRSS * 1_024
  }
}

function say(message: ChildMessage): void {
  process.send?.(message)
}
