const signals = ['SIGINT', 'SIGTERM'] as const

export type StopSignals = ReturnType<typeof listenForStop>

/**
 * The first SIGINT or SIGTERM asks to finish the work in flight, the second to stop at once. SIGHUP
 * ends nothing: a service manager sends it for a reload, and a closed terminal must not end an
 * upload.
 */
export function listenForStop() {
  const first = new AbortController()
  const second = new AbortController()

  function stop(): void {
    if (first.signal.aborted) second.abort()
    else first.abort()
  }
  let has_hung_up = false
  let hungUp = () => {
    has_hung_up = true
  }
  const onSighup = () => hungUp()

  for (const signal of signals) process.on(signal, stop)
  process.on('SIGHUP', onSighup)
  return {
    /** Aborts with the first SIGINT or SIGTERM. */
    first: first.signal,
    /** Aborts with the second. */
    second: second.signal,
    /** Calls the listener for each SIGHUP, also for one that came before. */
    onHangup(listener: () => void) {
      hungUp = listener
      if (has_hung_up) listener()
    },
    /** Removes the handlers. The next signal then ends the process. */
    end() {
      for (const signal of signals) process.off(signal, stop)
      process.off('SIGHUP', onSighup)
    },
  }
}

/** Runs `use` with these handlers in place, and removes them afterwards. */
export async function withStopSignals<Answer>(
  use: (signals: StopSignals) => Promise<Answer>,
): Promise<Answer> {
  const signals = listenForStop()
  try {
    return await use(signals)
  } finally {
    signals.end()
  }
}
