import { expect, test, vi } from 'vitest'
import type { Worker } from '../../src/base/run/worker.ts'
import { day_ms, hour_ms, minute_ms, second_ms } from '../../src/base/time/time.ts'
import type { RunFact } from '../../src/domain/run.ts'
import type { PromptState } from '../../src/ledger/prompt-work.ts'
import { startScheduler } from '../../src/prompts/plan/scheduler.ts'
import type { PromptSettings } from '../../src/prompts/prompt-settings.ts'
import { FakeClock } from '../fake-clock.ts'

const monday_ms = Date.parse('2026-11-23T08:00+01:00')

function settings(name: string, cron: string, more: Partial<PromptSettings> = {}): PromptSettings {
  return {
    name,
    project_id: 'prj',
    schedule: { cron, timezone: 'Europe/Berlin' },
    prompt: 'What is new?',
    intelligence: 'auto',
    provider: undefined,
    skills: [],
    public_data: undefined,
    scope: { folders: [], paths: [], fresh: 'all', labels: [], chats: [], concepts: [], projects: [], views: [] },
    first_run: 'from_now',
    when_nothing_new: 'skip',
    wait_for_files_ms: 0,
    max_assets: 10,
    when_too_many: 'next_run',
    continue_chat: false,
    catch_up_ms: 6 * hour_ms,
    overlap: 'skip',
    report: { dir: '/reports', file_name: '{{name}}.md' },
    deliver: [],
    ...more,
  }
}

/** What the scheduler needs of the ledger: one row for each (prompt, due time), and how far each prompt was looked through. */
class Runs {
  readonly rows: { prompt: string; due_ms: number; what: string }[] = []
  readonly states = new Map<string, PromptState>()
  refuse: string | undefined

  constructor(began_ms: number, names: readonly string[]) {
    for (const name of names) {
      this.states.set(name, {
        name,
        project_id: 'prj',
        configured: true,
        began_ms,
        began_seq: 0,
        checked_ms: began_ms,
        last_written_due_ms: undefined,
        chat_id: undefined,
        open_runs: [],
        is_new: false,
      })
    }
  }

  prompts = async () => [...this.states.values()].map((state) => ({ ...state }))

  record = async (facts: readonly RunFact[]) => {
    for (const fact of facts) {
      if (!('prompt' in fact)) continue
      if (fact.prompt === this.refuse) throw new Error('the disk is full')
      const state = this.states.get(fact.prompt)!
      if (fact.type === 'schedule_reset') state.checked_ms = fact.checked_ms
      if (fact.type !== 'run_due' && fact.type !== 'run_passed_over') continue
      state.checked_ms = Math.max(state.checked_ms, fact.due_ms)
      if (this.rows.some((row) => row.prompt === fact.prompt && row.due_ms === fact.due_ms)) continue
      const what = fact.type === 'run_due' ? fact.cause : 'passed over'
      this.rows.push({ prompt: fact.prompt, due_ms: fact.due_ms, what })
    }
  }

  of(prompt: string): [due_ms: number, what: string][] {
    return this.rows.filter((row) => row.prompt === prompt).map(({ due_ms, what }) => [due_ms, what])
  }
}

interface Rig {
  clock: FakeClock
  runs: Runs
  faults: string[]
  /** Another life of the daemon. */
  live(body: (worker: Worker) => Promise<void>): Promise<void>
}

function rig(start_ms: number, prompts: readonly PromptSettings[]): Rig {
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
      const on_fault = (what: string, error: unknown) => faults.push(`${what}: ${(error as Error).message}`)
      const worker = startScheduler({ ledger: runs, clock, prompts, on_fault }, stop.signal)
      try {
        await body(worker)
      } finally {
        stop.abort()
        await worker.ended
      }
    },
  }
}

test('a time becomes a run within its first seconds, and not before', async () => {
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

test('a hundred restarts across a time make one run', async () => {
  const { clock, runs, live } = rig(monday_ms - 25_050, [settings('digest', '0 8 * * 1')])
  for (let life = 0; life < 100; life++) await live(() => clock.advance(500))
  expect(clock.now_ms()).toBeGreaterThan(monday_ms + 20_000)
  expect(runs.of('digest')).toEqual([[monday_ms, 'schedule']])
})

test('down across a time: made up once, however often the daemon is started within the window', async () => {
  const { clock, runs, live } = rig(monday_ms - hour_ms, [settings('digest', '0 8 * * 1')])
  await live(() => clock.advance(minute_ms))
  await clock.advance(2 * hour_ms)
  for (let life = 0; life < 5; life++) await live(() => clock.advance(10 * minute_ms))
  expect(runs.of('digest')).toEqual([[monday_ms, 'catch_up']])
})

test('a machine that slept a week notices within a minute, without a word from anybody', async () => {
  const { clock, runs, live } = rig(monday_ms - 7 * day_ms + minute_ms, [settings('digest', '0 8 * * *')])
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

test('the clock set back an hour repeats nothing, and the schedule goes on after it', async () => {
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

test('a clock that was ahead by a month and is set right does not stop the schedule for a month', async () => {
  const { clock, runs, live } = rig(monday_ms + 30 * day_ms, [settings('digest', '0 8 * * *')])
  await live(async () => {
    await clock.advance(minute_ms)
    clock.jumpWall(-30 * day_ms - hour_ms)
    await clock.advance(2 * hour_ms)
    expect(runs.of('digest').at(-1)).toEqual([monday_ms, 'schedule'])
  })
})

test('a wake looks at once', async () => {
  const { clock, runs, live } = rig(monday_ms - hour_ms, [settings('digest', '0 8 * * 1')])
  await live(async (worker) => {
    await clock.advance(second_ms)
    clock.jumpWall(hour_ms)
    worker.wake()
    await clock.advance(1)
    expect(runs.of('digest')).toEqual([[monday_ms, 'schedule']])
  })
})

test('the ticker is such a wake, each minute, and ends with the scheduler', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date'] })
  try {
    const { clock, runs, live } = rig(monday_ms - hour_ms, [settings('digest', '0 8 * * 1')])
    await live(async () => {
      await clock.advance(second_ms)
      clock.jumpWall(hour_ms)
      await vi.advanceTimersByTimeAsync(minute_ms)
      await clock.advance(0)
      expect(runs.of('digest')).toEqual([[monday_ms, 'schedule']])
    })
    expect(vi.getTimerCount()).toBe(0)
  } finally {
    vi.useRealTimers()
  }
})

test('what fails for one prompt is reported, tried again, and stops no other', async () => {
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

test('a prompt that the ledger does not know, or that rests, is left alone', async () => {
  const prompts = [settings('unknown', '* * * * *'), settings('resting', '* * * * *'), settings('known', '* * * * *')]
  const { clock, runs, faults, live } = rig(monday_ms, prompts)
  runs.states.delete('unknown')
  runs.states.get('resting')!.configured = false
  await live(async () => {
    await clock.advance(3 * minute_ms)
    expect(runs.rows.map(({ prompt }) => prompt)).toEqual(['known', 'known', 'known'])
    expect(faults).toEqual([])
  })
})

test('a run that has not ended lets the next time pass', async () => {
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
