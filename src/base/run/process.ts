import { readFileSync } from 'node:fs'
import { freemem } from 'node:os'

/** The version in package.json. The relative path is the same from src/ and from dist/. */
export function programVersion(): string {
  const { version } = JSON.parse(
    readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
  )
  return version
}

/**
 * Options of a child process that runs Node, so that SIGUSR1 opens no debugger in it. Older Nodes
 * lack the option of their own.
 */
export const no_debugger = process.allowedNodeEnvironmentFlags.has('--disable-sigusr1')
  ? ['--disable-sigusr1']
  : ['--import', 'data:text/javascript,process.on("SIGUSR1",()=>{})']

/** Memory that this process can take before the system or its control group has none left. */
export function freeMemory_bytes(): number {
  const available = process.availableMemory()
  // 0 has two reasons (libuv): /proc/self/cgroup is unreadable, so no limit is known either, or the
  // control group is above its limit.
  return available === 0 && !process.constrainedMemory() ? freemem() : available
}

/** Read now: later there may be no free descriptor. Node has raised the soft limit by now. */
const limits_at_start = readLimits()

/** Maximum of open descriptors (`ulimit -n`): Infinity if unlimited, undefined if unreadable. */
export function maxOpenFiles(limits: string | undefined = limits_at_start): number | undefined {
  const soft = /^Max open files\s+(\d+|unlimited)/m.exec(limits ?? '')?.[1]
  if (soft === undefined) return undefined
  return soft === 'unlimited' ? Number.POSITIVE_INFINITY : Number(soft)
}

function readLimits(): string | undefined {
  try {
    return readFileSync('/proc/self/limits', 'utf8')
  } catch {
    // Not Linux.
    return undefined
  }
}
