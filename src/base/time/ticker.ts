import { schedule } from 'node-cron'
import { minute_ms, system_clock } from './time.ts'

/**
 * Calls back at the beginning of every minute of the wall clock until it is stopped. A tick only wakes somebody: what is due is
 * asked of CronTimes. `on_tick` must not throw.
 *
 * Each tick is a node-cron task of its own, of one minute of the year. A task of `* * * * *` goes through every minute that it
 * missed, one by one: 1.5 s of a blocked process after a week's sleep, 38 s after a year (a machine without a battery for its
 * clock). Set back, the clock brings no tick before it shows the awaited minute again: whoever must notice that rests no
 * longer than he may be late.
 */
export function startTicker(on_tick: () => void): { stop(): void } {
  let stopped = false
  let task = arm()
  function arm() {
    const at = new Date(system_clock.now_ms() + minute_ms)
    const times = `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`
    const armed = schedule(times, tick, { timezone: 'UTC', suppressMissedWarning: true })
    armed.on('execution:missed', tick)
    return armed
  }
  function tick(): void {
    // After a jump over years one task tells of several missed minutes.
    if (stopped) return
    void task.destroy()
    task = arm()
    on_tick()
  }
  return {
    stop() {
      stopped = true
      void task.destroy()
    },
  }
}
