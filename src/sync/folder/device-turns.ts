import { unlessAborted } from '../../base/time/time.ts'

export type DeviceTurns = ReturnType<typeof createDeviceTurns>

/** Allows one full scan per filesystem (st_dev) at a time; parallel ones slow each other down. */
export function createDeviceTurns() {
  const last = new Map<bigint, Promise<unknown>>()
  return {
    /** Scans when its turn comes. Undefined: the signal aborted first, and no scan ran. */
    async take<Answer>(
      device: bigint,
      signal: AbortSignal,
      scan: () => Promise<Answer>,
    ): Promise<Answer | undefined> {
      const before = last.get(device)
      const mine = unlessAborted(before, signal).then(() => (signal.aborted ? undefined : scan()))
      // If a caller stops waiting, the next one must still wait for those before it.
      const all = Promise.allSettled([before, mine]).then(() => {
        if (last.get(device) === all) last.delete(device)
      })
      last.set(device, all)
      return mine
    },
  }
}
