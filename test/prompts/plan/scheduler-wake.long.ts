import { expect, test } from 'vitest'
import { wakeAt } from '../../../src/base/time/cron.ts'
import { hour_ms, minute_ms, second_ms, system_clock } from '../../../src/base/time/time.ts'
import { startScheduler } from '../../../src/prompts/plan/scheduler.ts'
import { realWait } from '../../rig/waiting.ts'
import { Runs, settings } from './scheduler-rig.ts'

test('node-cron alone starts each run within 2 s of its time by the real clock', async () => {
  const prompts = [settings('digest', '* * * * *'), settings('other', '*/1 * * * *')]
  const began_ms = system_clock.now_ms()
  const runs = new Runs(
    began_ms,
    prompts.map(({ name }) => name),
  )
  const recorded_ms: number[] = []
  const ledger = {
    prompts: runs.prompts,
    rests: runs.rests,
    record: async (facts: Parameters<Runs['record']>[0]) => {
      await runs.record(facts)
      recorded_ms.push(system_clock.now_ms())
    },
  }
  const stop = new AbortController()
  const faults: unknown[] = []
  const on_fault = (_what: string, error: unknown) => faults.push(error)
  const parts = { ledger, clock: system_clock, prompts, wakeAt, on_fault, rest_ms: hour_ms }
  const worker = startScheduler(parts, stop.signal)
  const first_ms = Math.ceil((began_ms + 1) / minute_ms) * minute_ms
  await realWait('a minute of the wall clock', first_ms + minute_ms + 2 * second_ms - began_ms)
  stop.abort()
  await worker.ended
  expect(faults).toEqual([])
  for (const name of ['digest', 'other']) {
    expect(runs.of(name)).toEqual([
      [first_ms, 'schedule'],
      [first_ms + minute_ms, 'schedule'],
    ])
  }
  expect(recorded_ms).toHaveLength(4)
  for (const at_ms of recorded_ms) expect(at_ms % minute_ms).toBeLessThan(2 * second_ms)
})
