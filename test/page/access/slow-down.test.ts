import { expect, test } from 'vitest'
import { SlowDown } from '../../../src/page/access/slow-down.ts'
import { FakeClock } from '../../rig/fake-clock.ts'

/** Checks that end when the test says so. */
function begin() {
  const clock = new FakeClock()
  const slow_down = new SlowDown(clock)
  const running: ((is_right: boolean) => void)[] = []
  const ended: string[] = []
  let checks = 0
  const attempt = (name: string, client?: string, left = new AbortController().signal) => {
    const check = () => {
      checks++
      return new Promise<boolean>((resolve) => running.push(resolve))
    }
    const done = slow_down.attempt({ client, shared: [`name ${name}`], left }, check)
    void done.then(
      (is_right) => ended.push(is_right ? 'right' : 'wrong'),
      (error: { code: string }) => ended.push(error.code),
    )
    return done
  }
  const settle = async (is_right: boolean) => {
    await clock.advance(0)
    while (running.length > 0) {
      running.shift()!(is_right)
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { clock, attempt, settle, ended, running, checks: () => checks }
}

test('two checks run at once, twenty wait in a line, and more are asked to come again', async () => {
  const { attempt, settle, ended, running } = begin()
  const tries = Array.from({ length: 25 }, () => attempt('ada'))
  await Promise.allSettled(tries.slice(22))
  expect(running).toHaveLength(2)
  expect(ended).toEqual(Array(3).fill('page.slow_down'))
  await settle(true)
  expect(ended.slice(3)).toEqual(Array(22).fill('right'))
  const last = attempt('ada')
  await settle(true)
  expect(await last, 'all turns were given back').toBe(true)
})

test('wrong tries in a line slow down those of the client behind them, unchecked, and nobody else', async () => {
  const { clock, attempt, settle, ended, checks } = begin()
  for (let tries = 0; tries < 10; tries++) void attempt('ada', '203.0.113.7').catch(() => {})
  await settle(false)
  expect(checks(), 'three, and one that ran beside the third').toBeLessThanOrEqual(4)
  expect(ended.filter((end) => end === 'page.slow_down')).toHaveLength(10 - checks())
  const other = attempt('eve', '203.0.113.8')
  await settle(true)
  expect(await other).toBe(true)
  await expect(attempt('eve', '203.0.113.7')).rejects.toMatchObject({ code: 'page.slow_down' })
  await clock.advance(60_000)
  const later = attempt('eve', '203.0.113.7')
  await settle(true)
  expect(await later).toBe(true)
})

test('wrong tries at a name delay the next ones up to ten seconds, and refuse none', async () => {
  const { clock, attempt, settle, ended } = begin()
  const delays_s: number[] = []
  for (let tries = 0; tries < 12; tries++) {
    void attempt('ada', `203.0.113.${tries}`)
    await settle(false)
    const began_ms = clock.monotonic_ms()
    while (ended.length === tries) {
      await clock.advance(500)
      await settle(false)
    }
    delays_s.push(Math.round((clock.monotonic_ms() - began_ms) / 1_000))
  }
  expect(delays_s).toEqual([0, 0, 0, 1, 2, 4, 8, 10, 10, 10, 10, 10])
  const right = attempt('ada', '198.51.100.1')
  await clock.advance(10_000)
  await settle(true)
  expect(await right, 'the user comes in all the same').toBe(true)
  void attempt('ada', '198.51.100.1')
  await settle(true)
  expect(ended, 'and the next time at once').toHaveLength(14)
})

test('an hour without a wrong try forgets the earlier ones', async () => {
  const { clock, attempt, settle, running } = begin()
  for (let tries = 0; tries < 9; tries++) {
    const wrong = attempt('ada', '203.0.113.7').catch(() => {})
    await clock.advance(300_000)
    await settle(false)
    await wrong
  }
  await clock.advance(3_600_000)
  void attempt('ada', '203.0.113.7')
  await clock.advance(0)
  expect(running).toHaveLength(1)
  await settle(true)
})

/** Wrong tries until the next one at this name is delayed by the longest time. */
async function delayName({ clock, attempt, settle }: ReturnType<typeof begin>, name: string) {
  for (let tries = 0; tries < 8; tries++) {
    void attempt(name, `203.0.113.${tries}`)
    await clock.advance(10_000)
    await settle(false)
  }
}

test('three delayed tries of one client wait, and more are refused at once', async () => {
  const rig = begin()
  await delayName(rig, 'ada')
  const before = rig.ended.length
  const tries = Array.from({ length: 5 }, () => rig.attempt('ada', '198.51.100.1'))
  await Promise.allSettled(tries.slice(3))
  expect(rig.ended.slice(before)).toEqual(['page.slow_down', 'page.slow_down'])
  const other = rig.attempt('ada', '198.51.100.2')
  await rig.clock.advance(10_000)
  await rig.settle(true)
  expect(await other, 'another client waits beside them').toBe(true)
})

test('three delayed tries wait at an address that many share, and twenty in all', async () => {
  const rig = begin()
  await delayName(rig, 'ada')
  const before = rig.ended.length
  const shared = Array.from({ length: 4 }, () => rig.attempt('ada'))
  await Promise.allSettled(shared.slice(3))
  expect(rig.ended.slice(before)).toEqual(['page.slow_down'])
  const clients = Array.from({ length: 18 }, (_, nth) => rig.attempt('ada', `198.51.100.${nth}`))
  await Promise.allSettled(clients.slice(17))
  expect(rig.ended.slice(before), 'the 21st').toEqual(['page.slow_down', 'page.slow_down'])
})

test('a delayed try of a client that leaves gives its place back, unchecked', async () => {
  const rig = begin()
  await delayName(rig, 'ada')
  const checked = rig.checks()
  const leaving = new AbortController()
  const tries = Array.from({ length: 3 }, () => rig.attempt('ada', '198.51.100.1', leaving.signal))
  await rig.clock.advance(0)
  leaving.abort()
  const ends = await Promise.allSettled(tries)
  expect(ends.map(({ status }) => status)).toEqual(Array(3).fill('rejected'))
  expect(rig.checks()).toBe(checked)
  const next = rig.attempt('ada', '198.51.100.1')
  await rig.clock.advance(10_000)
  await rig.settle(true)
  expect(await next).toBe(true)
})

test('a client that leaves the line of checks costs no check', async () => {
  const { attempt, settle, checks } = begin()
  const running = [attempt('ada'), attempt('ada')]
  const leaving = new AbortController()
  const left = attempt('eve', undefined, leaving.signal)
  const last = attempt('eve')
  leaving.abort()
  await settle(true)
  await expect(left).rejects.toMatchObject({ code: 'page.slow_down' })
  expect(await Promise.all([...running, last])).toEqual([true, true, true])
  expect(checks()).toBe(3)
})
