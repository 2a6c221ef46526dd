import { readFileSync } from 'node:fs'

/** Maximum of open descriptors (`ulimit -n`): Infinity if unlimited, undefined if unreadable. */
export function maxOpenFiles(limits: string | undefined = readLimits()): number | undefined {
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
