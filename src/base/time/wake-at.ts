import { schedule } from 'node-cron'

/**
 * Calls back once, when the wall clock shows this minute. After a clock that was set, the callback
 * may come early, late or not at all: it is a wake, and the callback must not throw.
 */
export type WakeAt = (at_ms: number, on_time: () => void) => { stop(): void }

/**
 * One node-cron task for one minute of the year. node-cron has no option that bounds what a task
 * does after a long sleep: a task of `* * * * *` walks through each missed minute, in the event
 * loop. That takes 1 s after a week and 50 s after a year. A task of one minute has nothing to
 * walk through. Its time comes from croner, so the days on which the clocks change cost no run.
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
