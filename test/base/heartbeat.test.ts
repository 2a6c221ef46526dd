import { expect, test } from 'vitest'
import {
  answering,
  createHeartbeats,
  heldBy,
  shareHeartbeat,
} from '../../src/base/run/heartbeat.ts'
import { minute_ms } from '../../src/base/time/time.ts'
import { FakeClock } from '../rig/fake-clock.ts'

const limit_ms = 5 * minute_ms

/** Checks each minute, as a watchdog does: time never jumps far between two checks. */
async function pass(
  clock: FakeClock,
  heartbeats: ReturnType<typeof createHeartbeats>,
  minutes: number,
) {
  let stuck = heartbeats.stuck(limit_ms)
  for (let minute = 0; minute < minutes; minute++) {
    await clock.advance(minute_ms)
    stuck = heartbeats.stuck(limit_ms)
  }
  return stuck
}

test('heartbeats that are silent for too long are named, the longest first, until they beat or end', async () => {
  const clock = new FakeClock()
  const heartbeats = createHeartbeats(clock)
  const first = heartbeats.begin('first')
  expect(await pass(clock, heartbeats, 5)).toEqual([])
  const second = heartbeats.begin('second')
  expect(await pass(clock, heartbeats, 6)).toEqual([
    { name: 'first', silent_ms: 11 * minute_ms },
    { name: 'second', silent_ms: 6 * minute_ms },
  ])
  first.beat()
  second.end()
  expect(heartbeats.stuck(limit_ms)).toEqual([])
})

test('work in another thread is alive as long as its counter moves', async () => {
  const clock = new FakeClock()
  const heartbeats = createHeartbeats(clock)
  let chunks = 0
  heartbeats.begin('hashing', () => chunks)
  for (; chunks < 20; chunks++) expect(await pass(clock, heartbeats, 4)).toEqual([])
  expect(await pass(clock, heartbeats, 8)).toHaveLength(1)
})

test('an upload is not stuck while it waits for the service', async () => {
  const clock = new FakeClock()
  const heartbeats = createHeartbeats(clock)
  const heartbeat = heartbeats.begin('upload')
  let answer = () => {}
  const remote = heldBy(heartbeat, {
    put: () => new Promise<void>((resolve) => (answer = resolve)),
    plain: () => 7,
  })
  const waited = remote.put()
  expect(remote.plain()).toBe(7)
  expect(await pass(clock, heartbeats, 60)).toEqual([])
  answer()
  await waited
  expect(await pass(clock, heartbeats, 5)).toEqual([])
  expect(await pass(clock, heartbeats, 1)).toHaveLength(1)
})

test('a call that never answers is named by its verb, and one that fails has ended', async () => {
  const clock = new FakeClock()
  const heartbeats = createHeartbeats(clock)
  const ledger = answering(heartbeats, 'the ledger', {
    claim: () => new Promise<void>(() => {}),
    record: async () => {
      throw new Error('full')
    },
  })
  void ledger.claim()
  await expect(ledger.record()).rejects.toThrow('full')
  expect((await pass(clock, heartbeats, 6)).map(({ name }) => name)).toEqual(['the ledger: claim'])
})

test('parts that share a heartbeat are stuck only if all are silent, and no more once the last has ended', async () => {
  const clock = new FakeClock()
  const heartbeats = createHeartbeats(clock)
  const shared = shareHeartbeat(heartbeats, 'requests')
  for (let times = 0; times < 2; times++) {
    shared.begin()
    shared.begin()
    expect(await pass(clock, heartbeats, 4)).toEqual([])
    shared.end()
    expect(await pass(clock, heartbeats, 4)).toEqual([])
    expect(await pass(clock, heartbeats, 2)).toEqual([
      { name: 'requests', silent_ms: 6 * minute_ms },
    ])
    shared.beat()
    expect(heartbeats.stuck(limit_ms)).toEqual([])
    shared.end()
    expect(await pass(clock, heartbeats, 60)).toEqual([])
  }
})

test('a process that was stopped for an hour is not stuck when it continues', async () => {
  const clock = new FakeClock()
  const heartbeats = createHeartbeats(clock)
  heartbeats.begin('uploader')
  await pass(clock, heartbeats, 1)
  await clock.advance(60 * minute_ms)
  expect(heartbeats.stuck(limit_ms)).toEqual([])
  expect(await pass(clock, heartbeats, 4)).toHaveLength(1)
})
