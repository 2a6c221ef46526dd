export type DeviceTurns = ReturnType<typeof createDeviceTurns>

/**
 * Whole walks through folders of one disk come one after the other: side by side each would take
 * the other's time, and the heads'.
 */
export function createDeviceTurns() {
  const last = new Map<bigint, Promise<void>>()
  return {
    /**
     * Resolves when it is the caller's turn, or the signal aborted; what it answers ends the turn
     * and must be called.
     */
    async take(device: bigint, signal: AbortSignal): Promise<() => void> {
      const before = last.get(device)
      const { ended, end } = turn()
      const all = Promise.all([before, ended]).then(() => {
        if (last.get(device) === all) last.delete(device)
      })
      last.set(device, all)
      if (before) await unlessAborted(before, signal)
      return end
    },
  }
}

function turn(): { ended: Promise<void>; end: () => void } {
  let end = () => {}
  const ended = new Promise<void>((resolve) => {
    end = resolve
  })
  return { ended, end }
}

/** Waits for it, or for the signal, whichever is first. */
export async function unlessAborted(waited: Promise<unknown>, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  const { ended, end } = turn()
  signal.addEventListener('abort', end)
  try {
    await Promise.race([waited, ended])
  } finally {
    signal.removeEventListener('abort', end)
  }
}
