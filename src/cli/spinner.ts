import { formatDuration } from '../base/format.ts'
import { type Clock, second_ms } from '../base/time.ts'
import type { Terminal } from './terminal.ts'

const frames = ['⠋', '⠙', '⠹', '⠸', '⠼', '⠴', '⠦', '⠧', '⠇', '⠏']
const redraw_ms = 120

export interface Spinner {
  /** Takes the line away; twice is once. */
  end(): Promise<void>
}

/** Shows on a terminal that something goes on, and for how long; `text` is asked each time. */
export function showSpinner(terminal: Terminal, clock: Clock, text: () => string): Spinner {
  const ending = new AbortController()
  const began_ms = clock.monotonic_ms()

  async function turn(): Promise<void> {
    for (let frame = 0; !ending.signal.aborted; frame++) {
      const passed_ms = clock.monotonic_ms() - began_ms
      // The first second is not worth a number.
      const since = passed_ms < second_ms ? '' : ` (${formatDuration(Math.floor(passed_ms / second_ms) * second_ms)})`
      terminal.inPlace(`${frames[frame % frames.length]} ${text()}${since}`)
      await clock.sleep(redraw_ms, ending.signal)
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
