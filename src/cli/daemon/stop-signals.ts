import { isatty } from 'node:tty'

const signals = ['SIGINT', 'SIGTERM'] as const

export type StopSignals = ReturnType<typeof listenForStop>

/** Descriptors of this process that may be a terminal: standard input, output and error. */
const standard = [0, 1, 2]

/**
 * The first SIGINT or SIGTERM asks to finish the work in flight, the second to stop at once. SIGHUP
 * ends nothing by itself: a service manager sends it for a reload, and a closed terminal must not
 * end an upload. `is_endless`: the command has no end of its own, so the closing of its terminal
 * stops it. A process of systemd or nohup has no terminal.
 */
export function listenForStop({ is_endless = false } = {}) {
  const first = new AbortController()
  const second = new AbortController()
  const had_terminal = standard.some(isatty)

  function stop(): void {
    if (first.signal.aborted) second.abort()
    else first.abort()
  }
  let has_hung_up = false
  let hungUp = () => {
    has_hung_up = true
  }
  const onSighup = () => {
    // A terminal that was closed is none any more (EIO of its calls).
    const is_closed = had_terminal && !standard.some(isatty)
    // The shell and the kernel may both send the signal: it stops nothing at once.
    if (!is_endless || !is_closed) hungUp()
    else if (!first.signal.aborted) {
      first.abort()
      process.once('exit', dieOfHangup)
    }
  }

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

/**
 * Ends the process by the signal, as usual for a closed terminal. A normal exit of Node resets its
 * terminal, and crashes by a signal of its own if that is gone.
 */
function dieOfHangup(): void {
  process.removeAllListeners('SIGHUP')
  process.kill(process.pid, 'SIGHUP')
}

/** Runs `use` with these handlers in place, and removes them afterwards. */
export async function withStopSignals<Answer>(
  use: (signals: StopSignals) => Promise<Answer>,
  options: { is_endless?: boolean } = {},
): Promise<Answer> {
  const signals = listenForStop(options)
  try {
    return await use(signals)
  } finally {
    signals.end()
  }
}
