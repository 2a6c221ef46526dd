const signals = ['SIGINT', 'SIGTERM'] as const

export type StopSignals = ReturnType<typeof listenForStop>

/**
 * The first signal asks to finish what is in flight, the second to stop at once. A SIGHUP ends nothing: a service manager sends
 * it to have the configuration read again, and a terminal that closes must not be the end of an upload.
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
    /** Calls it for each SIGHUP; for one that came before, at once. Until then none is lost. */
    onHangup(listener: () => void) {
      hungUp = listener
      if (has_hung_up) listener()
    },
    /** Gives the signals back: the next one ends the process, as it does without us. */
    end() {
      for (const signal of signals) process.off(signal, stop)
      process.off('SIGHUP', onSighup)
    },
  }
}

/** Runs `use` and gives the signals back afterwards. */
export async function withStopSignals<Answer>(use: (signals: StopSignals) => Promise<Answer>): Promise<Answer> {
  const signals = listenForStop()
  try {
    return await use(signals)
  } finally {
    signals.end()
  }
}
