import { expect, onTestFinished, test } from 'vitest'
import { hour_ms, minute_ms, second_ms } from '../../src/base/time/time.ts'
import { type Drained, drain } from '../../src/daemon/drain.ts'
import type { Ledger } from '../../src/ledger/ledger.ts'
import type { Failure } from '../../src/remote/outcome.ts'
import { createCircuits } from '../../src/sync/circuits.ts'
import type { SyncReport } from '../../src/sync/report.ts'
import { begin, localJourneys } from '../journeys/rig/harness.ts'
import { FakeClock } from '../rig/fake-clock.ts'
import { MovingClock } from '../rig/moving-clock.ts'
import { setStatusThere } from '../service/set-status.ts'

/**
 * A pass with one file left to send and nothing else to do, or with this many files that the
 * service reads.
 */
function onePass({ reading = 0 } = {}) {
  const clock = new FakeClock()
  let [send, moved] = [reading > 0 ? 0 : 1, 0]
  const ledger = {
    record: async () => {},
    pending: async () => ({
      check: 0,
      send,
      follow: reading,
      label: 0,
      remove: 0,
      next_due_ms: undefined,
    }),
  } as unknown as Ledger
  const said: string[] = []
  const report = {
    trouble: (_about: string, what: string) => void said.push(what),
  } as unknown as SyncReport
  const circuits = createCircuits({
    ledger,
    clock,
    report,
    projects: ['p'],
    reloadToken: async () => false,
    onSlowDown: () => {},
  })
  const stop = new AbortController()
  onTestFinished(() => stop.abort())
  let ended: Drained | undefined
  const tools = {
    ledger,
    report,
    circuits,
    clock,
    signal: stop.signal,
    inFlight: () => 0,
    foldersAreIdle: () => true,
    recorded: () => 0,
    moved: () => moved,
    ledgerFault: () => undefined,
  }
  void drain(tools, { give_up: true, max_reading_ms: 5 * minute_ms }).then((drained) => {
    ended = drained
  })
  return {
    clock,
    circuits,
    ended: () => ended,
    said,
    moves: () => moved++,
    sends: (files: number) => {
      send = files
    },
    fails: (failure: Partial<Failure>) =>
      circuits.failed(
        { about: 'later', call: 'read', status: 429, message: 'slow down', ...failure } as Failure,
        'p',
      ),
    async succeeds() {
      await circuits.succeeded('read', 'p')
      send = 0
    },
  }
}

test('says every ten seconds what it waits for while nothing moves', async () => {
  const { clock, said, moves, succeeds } = onePass()
  await clock.advance(9 * second_ms)
  expect(said).toEqual([])
  await clock.advance(second_ms)
  expect(said).toEqual(['waits for files: 1 to upload'])
  moves()
  await clock.advance(9 * second_ms)
  expect(said).toHaveLength(1)
  await clock.advance(2 * second_ms)
  expect(said).toHaveLength(2)
  await succeeds()
})

test('waits for a pause that the service asked for', async () => {
  const { clock, ended, fails, succeeds } = onePass()
  await fails({ retry_after_ms: 45 * second_ms })
  await clock.advance(46 * second_ms)
  expect(ended()).toBeUndefined()
  await succeeds()
  await clock.advance(second_ms)
  expect(ended()).toEqual({ why: 'done' })
})

test('gives up after five minutes of pauses without any success', async () => {
  const { clock, ended, fails } = onePass()
  for (let waited_ms = 0; waited_ms < 5 * minute_ms; waited_ms += 60 * second_ms) {
    expect(ended()).toBeUndefined()
    await fails({ retry_after_ms: 59 * second_ms })
    await clock.advance(60 * second_ms)
  }
  expect(ended()).toBeUndefined()
  await fails({ retry_after_ms: 60 * second_ms })
  await clock.advance(second_ms)
  expect(ended()).toMatchObject({
    why: 'asked_to_wait',
    error: {
      code: 'service.asked_to_wait',
      message: 'the service asked Sluice to wait, the next 1 min: slow down',
    },
  })
})

test('does not wait for a longer pause than that', async () => {
  const { clock, ended, fails } = onePass()
  await fails({ retry_after_ms: 3_600 * second_ms })
  await clock.advance(second_ms)
  expect(ended()).toMatchObject({ why: 'asked_to_wait' })
})

test('a service without an answer after a pause counts as unreachable after half a minute', async () => {
  const { clock, ended, fails } = onePass()
  await fails({ retry_after_ms: 45 * second_ms })
  await clock.advance(45 * second_ms)
  for (let times = 0; times < 3; times++) await fails({ about: 'network' })
  await clock.advance(29 * second_ms)
  expect(ended()).toBeUndefined()
  await clock.advance(2 * second_ms)
  expect(ended()).toMatchObject({ why: 'service_unreachable' })
})

test('leaves files that the service still reads to the next pass, once nothing else has moved for five minutes', async () => {
  const { clock, ended, moves, sends } = onePass({ reading: 3 })
  await clock.advance(4 * minute_ms)
  moves()
  await clock.advance(4 * minute_ms)
  sends(1)
  await clock.advance(2 * minute_ms)
  // A large upload is on its way, and records no fact for hours.
  expect(ended()).toBeUndefined()
  sends(0)
  await clock.advance(6 * minute_ms)
  expect(ended()).toMatchObject({
    why: 'still_reading',
    error: {
      code: 'answer.still_reading',
      message: expect.stringContaining('still reading 3 files'),
    },
  })
})

localJourneys('a single pass', (profile) => {
  test('goes on while the service refuses one file after another, however long it reads each', async () => {
    const clock = new MovingClock()
    const names = ['docs/a.txt', 'docs/b.txt', 'docs/c.txt', 'docs/d.txt']
    const tree = Object.fromEntries(names.map((name) => [name, `text of ${name}`]))
    const service = { clock, ingest: { delay_ms: hour_ms } }
    const journey = await begin({ profile, mode: 'once', clock, service, tree })
    for (const name of names) await journey.stage(name, 'ingesting')
    for (const name of names) {
      clock.skip(2 * minute_ms)
      setStatusThere(journey.service, journey.file(name)!.asset_id!, 'failed')
      await journey.stage(name, 'refused')
    }
    expect(await journey.drained()).toEqual({ why: 'done' })
    journey.ends({ left_out: names })
  })
})
