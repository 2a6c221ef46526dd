import { formatDuration } from '../../base/text/format.ts'
import { standard_error } from '../../base/text/log.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import { barText, createPassMeter, type PassState, type PassTexts } from './pass-meter.ts'
import type { Terminal } from './terminal.ts'

const redraw_ms = 250
/** Interval of lines in a file or log: few enough to read, often enough to show movement. */
const line_ms = 5 * second_ms
/**
 * Shows the progress of a pass on standard error: a bar on a terminal, elsewhere a line every few
 * seconds.
 */
export function showProgress(options: { terminal: Terminal; clock: Clock; read: () => PassState }) {
  const { terminal, clock, read } = options
  const ending = new AbortController()
  const meter = createPassMeter()
  const show = terminal.is_interactive ? barFor(terminal) : linesFor(terminal)
  const every_ms = terminal.is_interactive ? redraw_ms : line_ms

  let is_shown = false
  function update(): void {
    is_shown = true
    const state = read()
    show.update(state, meter(state, clock.monotonic_ms()))
  }

  async function watch(): Promise<void> {
    // A pass that ends in a moment needs no line: wait before the first one.
    await clock.sleep(every_ms, ending.signal)
    while (!ending.signal.aborted) {
      update()
      await clock.sleep(every_ms, ending.signal)
    }
    // Shows the last state, too: a bar that stops at 97 % would seem to be a fault.
    if (is_shown) update()
    show.end()
  }

  // The rate is measured from here.
  meter(read(), clock.monotonic_ms())
  const watching = watch()
  return {
    /** Writes whole log lines above the bar; undefined without a bar. */
    log_destination: show.log_destination,
    /** Shows the last state, if any was shown, and stops. A second call changes nothing. */
    end() {
      ending.abort()
      return watching
    },
  }
}

/** Shows nothing. */
export const no_progress: ReturnType<typeof showProgress> = {
  log_destination: undefined,
  end: async () => {},
}

interface Display {
  update(state: PassState, texts: PassTexts): void
  end(): void
  log_destination: { write(text: string): void } | undefined
}

function barFor(terminal: Terminal): Display {
  let bar = ''
  return {
    update({ total, done }, texts) {
      bar = barText(done.files / Math.max(1, total.files), texts, terminal.width)
      terminal.inPlace(bar)
    },
    end() {
      if (bar !== '') terminal.err('')
      bar = ''
    },
    log_destination: {
      write(text) {
        terminal.inPlace('')
        standard_error.write(text)
        terminal.inPlace(bar)
      },
    },
  }
}

function linesFor(terminal: Terminal): Display {
  let last = ''
  return {
    update(_state, { files, bytes, rate, left }) {
      const line = [files, bytes, rate, left].filter((text) => text !== '').join(', ')
      if (line !== last) terminal.err(line)
      last = line
    },
    end() {},
    log_destination: undefined,
  }
}

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const spin_ms = 120

interface Spinner {
  /** Removes the line. A second call changes nothing. */
  end(): Promise<void>
}

/** Shows on a terminal that something goes on, and for how long. It calls `text` for each frame. */
export function showSpinner(terminal: Terminal, clock: Clock, text: () => string): Spinner {
  const ending = new AbortController()
  const began_ms = clock.monotonic_ms()

  async function turn(): Promise<void> {
    for (let frame = 0; !ending.signal.aborted; frame++) {
      const passed_ms = clock.monotonic_ms() - began_ms
      // The first second is not worth a number.
      const since =
        passed_ms < second_ms
          ? ''
          : ` (${formatDuration(Math.floor(passed_ms / second_ms) * second_ms)})`
      terminal.inPlace(`${frames[frame % frames.length]} ${text()}${since}`)
      await clock.sleep(spin_ms, ending.signal)
    }
    terminal.inPlace('')
  }

  const turning = turn()
  return {
    end() {
      ending.abort()
      return turning
    },
  }
}
