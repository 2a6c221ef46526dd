import { expect, onTestFinished, test, vi } from 'vitest'
import { minute_ms, second_ms } from '../../src/base/time/time.ts'
import type { Fact } from '../../src/domain/fact.ts'
import type { FollowWork, Ledger } from '../../src/ledger/ledger.ts'
import type { Call, Failure } from '../../src/remote/outcome.ts'
import { createCircuits } from '../../src/sync/circuits.ts'
import { unreadFact } from '../../src/sync/follow/follow-verdict.ts'
import type { SyncReport } from '../../src/sync/report.ts'
import { FakeClock } from '../rig/fake-clock.ts'

const silent = new Proxy({}, { get: () => () => {} }) as SyncReport
const unknown: Failure = {
  about: 'slot_gone',
  call: 'complete',
  status: 404,
  message: 'the service answered 404',
}
const ill: Failure = {
  about: 'later',
  call: 'complete',
  status: 500,
  message: 'the service answered 500',
}
const refused: Failure = {
  about: 'network',
  call: 'put',
  code: 'network.refused',
  message: 'the connection was refused',
}

function setUp() {
  const clock = new FakeClock()
  const recorded: Fact[] = []
  const ledger = {
    record: async (facts: readonly Fact[]) => void recorded.push(...facts),
  } as unknown as Ledger
  const tools = {
    ledger,
    clock,
    report: silent,
    reloadToken: async () => false,
    onSlowDown: () => {},
    projects: ['p'],
  }
  const circuits = createCircuits(tools)
  const tries = { attempts: 0, failing_since_ms: undefined, slot_failures: 0 }
  const fails = async (failure: Failure, content: number, call: Call) => {
    const limits = { max_attempts: 12, is_slot_gone: false, now_ms: clock.now_ms() }
    const upload = { tries: { ...tries, ...limits }, extension: 'txt' }
    const { blame } = await circuits.failed({ ...failure, call }, 'p', { content, upload })
    return blame === 'none' ? 'count' : 'hold'
  }
  return { circuits, clock, recorded, fails }
}

test('the same fault of three contents at one step within five minutes is a fault of the service', async () => {
  const { circuits, clock, recorded, fails } = setUp()
  expect(await fails(unknown, 1, 'complete')).toBe('count')
  await clock.advance(2 * minute_ms)
  expect(await fails(unknown, 2, 'complete')).toBe('count')
  await clock.advance(3 * minute_ms - 1)
  expect(await fails(unknown, 3, 'complete')).toBe('hold')
  expect(recorded).toMatchObject([
    { type: 'trouble_began', about: 'uploads', error: { message: unknown.message } },
  ])
  // Questions, labels and the follower continue.
  expect(circuits.allowance(['api']).limit).toBe(Number.POSITIVE_INFINITY)
  expect([circuits.rests('p', ['api']), circuits.rests('p', ['api', 'blob'])]).toEqual([
    false,
    true,
  ])
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  await clock.advance(second_ms)
  expect([
    circuits.allowance(['api', 'blob']).limit,
    circuits.allowance(['api', 'blob']).limit,
  ]).toEqual([1, 0])
})

test('only a success of the same step ends it, and until then no content counts a failure', async () => {
  const { circuits, clock, recorded, fails } = setUp()
  for (const content of [1, 2, 3]) await fails(unknown, content, 'complete')
  await clock.advance(6 * minute_ms)
  expect(circuits.allowance(['api', 'blob']).limit).toBe(1)
  await circuits.succeeded('create', 'p')
  await circuits.succeeded('put', 'p')
  await circuits.succeeded('read', 'p')
  // The probe is still at its steps, so no other upload begins.
  expect(circuits.allowance(['api', 'blob']).limit).toBe(0)
  expect(await fails(unknown, 4, 'complete')).toBe('hold')
  await circuits.succeeded('complete', 'p')
  expect(recorded.map(({ type }) => type)).toEqual(['trouble_began', 'trouble_ended'])
  expect(await fails(unknown, 5, 'complete')).toBe('count')
})

test('faults that are not faults of the service', async () => {
  const { circuits, clock, recorded, fails } = setUp()
  for (let times = 0; times < 100; times++)
    expect(await fails(unknown, 1, 'complete')).toBe('count')
  // A success of that step lies between the failures.
  await fails(unknown, 2, 'complete')
  await circuits.succeeded('complete', 'p')
  expect(await fails(unknown, 3, 'complete')).toBe('count')
  // The fault differs, or the step.
  expect(await fails({ ...unknown, status: 410 }, 4, 'complete')).toBe('count')
  expect(await fails(unknown, 5, 'create')).toBe('count')
  // More than five minutes lie between the failures.
  await clock.advance(5 * minute_ms + 1)
  for (const content of [6, 7]) expect(await fails(unknown, content, 'complete')).toBe('count')
  expect(recorded).toEqual([])
})

test('three contents whose PUT is answered before all bytes are sent rest the store', async () => {
  const { circuits, fails } = setUp()
  const early: Failure = {
    about: 'unknown_protocol',
    call: 'put',
    message: 'it was taken before all the bytes were sent',
  }
  for (let times = 0; times < 20; times++) expect(await fails(early, 1, 'put')).toBe('count')
  expect(await fails(early, 2, 'put')).toBe('count')
  expect(await fails(early, 3, 'put')).toBe('hold')
  expect(circuits.tripped().map(({ about }) => about)).toEqual(['blob'])
})

test('a content that fails alone counts the failure if the host answered others within five minutes', async () => {
  const { circuits, clock, recorded, fails } = setUp()
  for (const step of ['create', 'put'] as const) {
    await circuits.succeeded(step, 'p')
    for (let times = 0; times < 100; times++) expect(await fails(ill, 1, step)).toBe('count')
  }
  expect(recorded).toEqual([])
  // No call has succeeded since: the host may be at fault, so a single file is not refused.
  await clock.advance(5 * minute_ms)
  expect([await fails(ill, 1, 'create'), await fails(ill, 1, 'put')]).toEqual(['hold', 'hold'])
})

test('a single content without any earlier success: its first slot is given up before the store rests', async () => {
  const { fails } = setUp()
  const verdicts: string[] = []
  for (let times = 0; times < 4; times++) verdicts.push(await fails(refused, 1, 'put'))
  expect(verdicts).toEqual(['count', 'count', 'count', 'hold'])
})

test('if the API is unreachable, no content is at fault', async () => {
  const { circuits, fails } = setUp()
  await circuits.succeeded('read', 'p')
  const verdicts: string[] = []
  for (let times = 0; times < 3; times++) verdicts.push(await fails(refused, 1, 'create'))
  expect(verdicts).toEqual(['count', 'count', 'hold'])
})

test('a probe does not count a failure against its content, even if another call asked for the pause', async () => {
  const { clock, fails } = setUp()
  expect(await fails({ ...ill, retry_after_ms: second_ms }, 1, 'create')).toBe('hold')
  await clock.advance(second_ms)
  expect(await fails(ill, 2, 'create')).toBe('hold')
})

test('an asset that is missing after it was sent again counts as removed after ten minutes', () => {
  vi.spyOn(Math, 'random').mockReturnValue(1)
  onTestFinished(() => void vi.restoreAllMocks())
  const follow = { first_ms: 500, max_ms: 500, dead_hit_after_ms: 0, list_from: 0 }
  const work = { content: 7, attempts: 2, following_since_ms: 0, vanished: 1 } as FollowWork
  const gone: Failure = { about: 'asset_gone', call: 'read', status: 404, message: 'not there' }
  expect(unreadFact({ ...work, vanished: 0 }, gone, true, 0, follow)).toEqual({
    type: 'asset_vanished',
    content: 7,
  })
  const note = { code: 'asset_gone', message: 'not there' }
  const goes_on = {
    type: 'ingest_continues',
    content: 7,
    not_before_ms: 10 * minute_ms + 499,
    note,
  }
  expect(unreadFact(work, gone, true, 10 * minute_ms - 1, follow)).toEqual(goes_on)
  expect(unreadFact(work, gone, true, 10 * minute_ms, follow)).toEqual({
    type: 'asset_vanished',
    content: 7,
  })
})
