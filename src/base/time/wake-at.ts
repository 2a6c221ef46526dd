import { schedule } from 'node-cron'

/**
 * Calls back once, when the wall clock shows this minute. If the clock is set, the callback may
 * come early, late or never: it is only a wake. It must not throw.
 */
export type WakeAt = (at_ms: number, on_time: () => void) => { stop(): void }

/**
 * One node-cron task for one minute of the year. A `* * * * *` task would walk through each missed
 * minute after a long sleep, in the event loop: 1 s after a week, 50 s after a year. node-cron
 * cannot limit that. The time comes from croner, so days on which the clocks change cost no run.
 */
export const wakeAt: WakeAt = (at_ms, on_time) => {
  const at = new Date(at_ms)
  const minute = `${at.getUTCMinutes()} ${at.getUTCHours()} ${at.getUTCDate()} ${at.getUTCMonth() + 1} *`
  const task = schedule(minute, end, { timezone: 'UTC', suppressMissedWarning: true })
  task.on('execution:missed', end)
  function end(): void {
    // After a jump over years, one task reports several missed minutes.
    if (task.getStatus() === 'destroyed') return
    void task.destroy()
    on_time()
  }
  return { stop: () => void task.destroy() }
}
