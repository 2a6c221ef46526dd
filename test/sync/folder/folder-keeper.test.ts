import { renameSync } from 'node:fs'
import { expect, test } from 'vitest'
import { minute_ms, second_ms } from '../../../src/base/time/time.ts'
import { until } from '../../rig/waiting.ts'
import { keep, soon } from './keeper-rig.ts'

test('a requested scan begins at once; a scan that began after the requested time is enough', async () => {
  const { clock, began, start, want } = await keep()
  const keeper = start()
  await clock.runUntil(() => began.length === 1)
  await clock.advance(10 * second_ms)
  await want(began[0]!)
  keeper.wake()
  await clock.advance(minute_ms)
  expect(began).toHaveLength(1)
  const wanted_ms = clock.now_ms()
  await want(wanted_ms)
  keeper.wake()
  // The clock stands still, so a scan that waits for any time does not begin.
  await until('the wanted scan begins', () => began.length === 2)
  expect(began[1]).toBe(wanted_ms)
  await clock.advance(minute_ms)
  expect(began).toHaveLength(2)
})

test('a running scan that began before the requested time is followed by another one after two seconds', async () => {
  const { clock, began, hold, start, want, checks } = await keep()
  const release = hold()
  const keeper = start()
  await clock.runUntil(() => checks() === 1)
  await clock.advance(minute_ms)
  const wanted_ms = clock.now_ms()
  await want(wanted_ms)
  keeper.wake()
  release()
  await clock.runUntil(() => began.length === 2)
  expect(began[0]).toBeLessThan(wanted_ms)
  expect(began[1]).toBe(wanted_ms + 2 * second_ms)
  await clock.runUntil(() => keeper.isIdle())
})

test('a scan that a user requests during a long one follows it at once, and only this one', async () => {
  const { clock, began, hold, start, want, checks } = await keep()
  const release = hold()
  const keeper = start()
  await clock.runUntil(() => checks() === 1)
  keeper.rescan()
  await clock.advance(10 * minute_ms)
  release()
  // The clock stands still, so a scan that rests after the long one does not begin.
  await until('both scans are done', () => began.length === 2)
  expect(began[1]).toBe(clock.now_ms())
  await clock.advance(1)
  await want(clock.now_ms())
  keeper.wake()
  await clock.runUntil(() => began.length === 3)
  expect(began[2]! - began[1]!).toBeGreaterThanOrEqual(2 * second_ms)
})

test.each(['check', 'scan_finished'] as const)(
  'a scan that a user requests soon after a long one is repeated soon if its %s fails',
  async (step) => {
    const { clock, began, hold, start, checks, meanwhile } = await keep()
    const release = hold()
    const keeper = start()
    await clock.runUntil(() => checks() === 1)
    await clock.advance(10 * minute_ms)
    release()
    await until('the long scan is done', () => began.length === 1)
    await clock.advance(second_ms)
    meanwhile[step] = () => Promise.reject(new Error('a fault'))
    keeper.rescan()
    await soon(clock, 'the scan is repeated', () => began.length === 2)
  },
)

test('a scan requested for a later time does not begin before it', async () => {
  const { clock, began, start, want } = await keep()
  const keeper = start()
  await clock.runUntil(() => began.length === 1)
  const wanted_ms = clock.now_ms() + minute_ms
  await want(wanted_ms)
  keeper.wake()
  await clock.runUntil(() => began.length === 2)
  expect(began[1]).toBeGreaterThanOrEqual(wanted_ms)
})

test('each request for a scan of an offline folder is answered; the user is told only once', async () => {
  const { root, said, clock, start, want, began, away } = await keep()
  renameSync(root, `${root}-away`)
  const keeper = start()
  await clock.runUntil(() => away.length === 1)
  await clock.advance(minute_ms)
  expect(away).toHaveLength(1)
  for (const times of [2, 3]) {
    const wanted_ms = clock.now_ms()
    await want(wanted_ms)
    keeper.wake()
    await clock.runUntil(() => away.length === times)
    expect(away.at(-1)).toBeGreaterThanOrEqual(wanted_ms)
    await clock.advance(minute_ms)
    expect(away).toHaveLength(times)
  }
  expect([said.length, began]).toEqual([1, []])
})

test.each(['root', 'state'] as const)(
  'an answer that comes after the %s was read is not lost',
  async (step) => {
    const kept = await keep({ files: {}, known: ['a', 'b'], empty_folder_files: 0 })
    const { clock, start, want, began, answer, isAsked, identity, meanwhile } = kept
    const keeper = start()
    await clock.runUntil(isAsked)
    await clock.advance(minute_ms)
    // The filesystem does not show the birth of the same root any more: its identity is another
    // text.
    identity.now = '12@'
    await want(clock.now_ms())
    meanwhile[step] = answer
    keeper.wake()
    await clock.runUntil(() => began.length === 1)
  },
)

test('a rescan that a user requests during a comparison gets a comparison of its own', async () => {
  const { clock, start, meanwhile } = await keep({ known: ['v', 'w', 'x', 'y', 'z'] })
  let compare = () => {}
  const held = new Promise<void>((resolve) => {
    compare = resolve
  })
  let step: 'comparing' | 'compared' | 'comparing again' | undefined
  meanwhile.compare = () => {
    step = 'comparing'
    return held
  }
  const keeper = start()
  await clock.runUntil(() => step === 'comparing')
  meanwhile.folder_offline = async () => {
    step = 'compared'
    meanwhile.compare = async () => {
      step = 'comparing again'
    }
  }
  keeper.rescan()
  compare()
  await soon(clock, 'the second comparison begins', () => step === 'comparing again')
})

test('a request during the check of an offline folder is answered by a later check', async () => {
  const { root, clock, start, want, began, away, meanwhile } = await keep()
  renameSync(root, `${root}-away`)
  const keeper = start()
  await clock.runUntil(() => away.length === 1)
  await clock.advance(minute_ms)
  meanwhile.root = async () => {
    await clock.advance(1)
    await want(clock.now_ms())
    renameSync(`${root}-away`, root)
  }
  keeper.wake()
  await clock.runUntil(() => began.length === 1)
  expect(away).toHaveLength(1)
})
