import type { WakeAt } from '../../src/base/time/cron.ts'
import type { Clock } from '../../src/base/time/time.ts'

/** Wakes by a clock that a test moves. The program itself wakes by the clock of the machine. */
export function wakeBy(clock: Clock): WakeAt {
  return (at_ms, on_time) => {
    const stopping = new AbortController()
    void clock.sleep(at_ms - clock.now_ms(), stopping.signal).then(() => {
      if (!stopping.signal.aborted) on_time()
    })
    return { stop: () => stopping.abort() }
  }
}
