import { unlessAborted } from '../../base/run/waits.ts'

export type DeviceTurns = ReturnType<typeof createDeviceTurns>

/**
 * Lets only one full scan read a disk at a time. Scans side by side would slow each other down,
 * most of all on a disk with moving heads.
 */
export function createDeviceTurns() {
  const last = new Map<bigint, Promise<unknown>>()
  return {
    /** Scans when the turn comes. Undefined: the signal aborted first, and nothing was scanned. */
    async take<Answer>(device: bigint, signal: AbortSignal, scan: () => Promise<Answer>): Promise<Answer | undefined> {
      const before = last.get(device)
      const mine = unlessAborted(before, signal).then(() => (signal.aborted ? undefined : scan()))
      // A caller that stopped waiting must not let the next one pass those before it.
      const all = Promise.allSettled([before, mine]).then(() => {
        if (last.get(device) === all) last.delete(device)
      })
      last.set(device, all)
      return mine
    },
  }
}
