import { expect, test, vi } from 'vitest'
import type { Worker } from '../../../src/base/run/worker.ts'
import { type WakeAt, wakeAt } from '../../../src/base/time/cron.ts'
import { day_ms, hour_ms, minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { startScheduler } from '../../../src/prompts/plan/scheduler.ts'
import type { PromptSettings } from '../../../src/prompts/prompt-settings.ts'
import { FakeClock } from '../../rig/fake-clock.ts'
import { wakeBy } from '../../rig/wake-by.ts'
import { Runs, settings } from './scheduler-rig.ts'

const monday_ms = Date.parse('2026-11-23T08:00+01:00')

interface Rig {
  clock: FakeClock
  runs: Runs
  faults: string[]
  /** Runs a scheduler, as after a restart. */
  live(body: (worker: Worker) => Promise<void>): Promise<void>
}

function rig(start_ms: number, prompts: readonly PromptSettings[], wakes?: WakeAt): Rig {
  const clock = new FakeClock(start_ms)
  const runs = new Runs(
    start_ms,
    prompts.map(({ name }) => name),
  )
  const faults: string[] = []
  return {
    clock,
    runs,
    faults,
    async live(body) {
      const stop = new AbortController()
      const on_fault = (what: string, error: unknown) =>
        faults.push(`${what}: ${(error as Error).message}`)
      const parts = { ledger: runs, clock, prompts, wakeAt: wakes ?? wakeBy(clock), on_fault }
      const worker = startScheduler(parts, stop.signal)
      try {
        await body(worker)
      } finally {
        stop.abort()
        await worker.ended
      }
    },
  }
}

test('a due time becomes a run within its first seconds, and not before', async () => {
  const { clock, runs, live } = rig(monday_ms - 2 * hour_ms, [settings('digest', '0 8 * * 1')])
  await live(async () => {
    await clock.advance(2 * hour_ms - 1)
    expect(runs.rows).toEqual([])
    await clock.advance(second_ms)
    expect(runs.of('digest')).toEqual([[monday_ms, 'schedule']])
    await clock.advance(day_ms)
    expect(runs.rows).toHaveLength(1)
  })
})

test('a hundred restarts around a due time make one run', async () => {
  const { clock, runs, live } = rig(monday_ms - 25_050, [settings('digest', '0 8 * * 1')])
  for (let life = 0; life < 100; life++) await live(() => clock.advance(500))
  expect(clock.now_ms()).toBeGreaterThan(monday_ms + 20_000)
  expect(runs.of('digest')).toEqual([[monday_ms, 'schedule']])
})

test('a daemon that was down at a due time catches up once, however often it starts within the window', async () => {
  const { clock, runs, live } = rig(monday_ms - hour_ms, [settings('digest', '0 8 * * 1')])
  await live(() => clock.advance(minute_ms))
  await clock.advance(2 * hour_ms)
  for (let life = 0; life < 5; life++) await live(() => clock.advance(10 * minute_ms))
  expect(runs.of('digest')).toEqual([[monday_ms, 'catch_up']])
})

test('a machine that slept a week notices the missed times within a minute by itself', async () => {
  const { clock, runs, live } = rig(monday_ms - 7 * day_ms + minute_ms, [
    settings('digest', '0 8 * * *'),
  ])
  await live(async () => {
    await clock.advance(minute_ms)
    clock.jumpWall(7 * day_ms)
    await clock.advance(minute_ms)
    expect(runs.of('digest')).toEqual([
      [monday_ms - day_ms, 'passed over'],
      [monday_ms, 'catch_up'],
    ])
  })
})

test('a clock that is set back an hour repeats nothing, and the schedule continues after it', async () => {
  const { clock, runs, live } = rig(monday_ms - minute_ms, [settings('digest', '*/30 * * * *')])
  await live(async () => {
    await clock.advance(2 * minute_ms)
    clock.jumpWall(-hour_ms)
    await clock.advance(hour_ms)
    expect(runs.of('digest')).toEqual([[monday_ms, 'schedule']])
    await clock.advance(hour_ms)
    expect(runs.of('digest').map(([due_ms]) => due_ms)).toEqual([
      monday_ms,
      monday_ms + 30 * minute_ms,
      monday_ms + hour_ms,
    ])
  })
})

test('a clock that was a month ahead and is set right does not stop the schedule for a month', async () => {
  const { clock, runs, live } = rig(monday_ms + 30 * day_ms, [settings('digest', '0 8 * * *')])
  await live(async () => {
    await clock.advance(minute_ms)
    clock.jumpWall(-30 * day_ms - hour_ms)
    await clock.advance(2 * hour_ms)
    expect(runs.of('digest').at(-1)).toEqual([monday_ms, 'schedule'])
  })
})

test('a wake checks at once', async () => {
  const { clock, runs, live } = rig(monday_ms - hour_ms, [settings('digest', '0 8 * * 1')])
  await live(async (worker) => {
    await clock.advance(second_ms)
    clock.jumpWall(hour_ms)
    worker.wake()
    await clock.advance(1)
    expect(runs.of('digest')).toEqual([[monday_ms, 'schedule']])
  })
})

test('node-cron wakes it at the time of the prompt, and ends with the scheduler', async () => {
  vi.useFakeTimers({ now: monday_ms - hour_ms, toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const { clock, runs, live } = rig(
      monday_ms - hour_ms,
      [settings('digest', '0 8 * * 1')],
      wakeAt,
    )
    await live(async () => {
      await clock.advance(second_ms)
      clock.jumpWall(hour_ms)
      await vi.advanceTimersByTimeAsync(hour_ms)
      await clock.advance(0)
      expect(runs.of('digest')).toEqual([[monday_ms, 'schedule']])
      expect(vi.getTimerCount(), 'the wake for next Monday').toBe(1)
    })
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('an error of one prompt is reported and tried again, and stops no other prompt', async () => {
  const prompts = [settings('first', '0 8 * * 1'), settings('second', '0 8 * * 1')]
  const { clock, runs, faults, live } = rig(monday_ms - minute_ms, prompts)
  runs.refuse = 'first'
  await live(async () => {
    await clock.advance(minute_ms + second_ms)
    expect(runs.of('second')).toEqual([[monday_ms, 'schedule']])
    expect(faults).toEqual(['the schedule of the prompt first: the disk is full'])
    runs.refuse = undefined
    await clock.advance(minute_ms)
    expect(runs.of('first')).toEqual([[monday_ms, 'schedule']])
  })
})

test('a prompt with a refused fact rests, and stops no other prompt', async () => {
  const prompts = [settings('first', '0 8 * * 1'), settings('second', '0 8 * * 1')]
  const { clock, runs, faults, live } = rig(monday_ms - minute_ms, prompts)
  runs.refuse = 'first'
  runs.resting = 'prompt first'
  await live(async () => {
    await clock.advance(30 * minute_ms)
    expect(runs.of('second')).toEqual([[monday_ms, 'schedule']])
    expect(faults).toEqual([])
    runs.refuse = undefined
    runs.resting = undefined
    await clock.advance(minute_ms)
    expect(runs.of('first')).toEqual([[monday_ms, 'catch_up']])
  })
})

test('a prompt that the ledger does not know, or that left the configuration, is left alone', async () => {
  const prompts = [
    settings('unknown', '* * * * *'),
    settings('resting', '* * * * *'),
    settings('known', '* * * * *'),
  ]
  const { clock, runs, faults, live } = rig(monday_ms, prompts)
  runs.states.delete('unknown')
  runs.states.get('resting')!.configured = false
  await live(async () => {
    await clock.advance(3 * minute_ms)
    expect(runs.rows.map(({ prompt }) => prompt)).toEqual(['known', 'known', 'known'])
    expect(faults).toEqual([])
  })
})

test('a run that has not ended skips the next time', async () => {
  const { clock, runs, live } = rig(monday_ms - minute_ms, [settings('digest', '*/10 * * * *')])
  await live(async () => {
    await clock.advance(2 * minute_ms)
    runs.states.get('digest')!.open_runs = [{ run: 1, due_ms: monday_ms, state: 'asked' }]
    await clock.advance(10 * minute_ms)
    expect(runs.of('digest')).toEqual([
      [monday_ms, 'schedule'],
      [monday_ms + 10 * minute_ms, 'passed over'],
    ])
  })
})
