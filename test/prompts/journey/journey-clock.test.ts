import { expect, test } from 'vitest'
import { hour_ms } from '../../../src/base/time/time.ts'
import { until } from '../../rig/waiting.ts'
import { openOffice } from './journey-office.ts'
import { restartAcross } from './journey-restarts.ts'

test('a clock that is set back an hour: earlier times are not asked again, later ones are', async () => {
  const office = await openOffice()
  await office.bringIn({ 'a.txt': 'The lease ends in May.\n' })
  const first = await office.hour()
  office.clock.jumpWall(-hour_ms)
  await office.bringIn({ 'b.txt': 'The boat is red.\n' })
  office.tick()
  await office.stop()
  await office.start()
  await office.synced()
  expect(office.runs().map(({ due_ms }) => due_ms)).toEqual([first.due_ms])
  expect(office.asked()).toBe(1)
  expect(await office.hour()).toMatchObject({
    due_ms: first.due_ms + hour_ms,
    cause: 'schedule',
    state: 'written',
  })
  expect(office.covered()).toEqual([['docs/a.txt'], ['docs/b.txt']])
  expect(office.asked()).toBe(2)
})

test('eight restarts around a due time make one run, one question and one report', () =>
  restartAcross(8))

test('a daemon that was down at a due time catches up once', async () => {
  const office = await openOffice()
  await office.bringIn({ 'a.txt': 'The lease ends in May.\n' })
  await office.stop()
  office.tick()
  office.clock.skip(hour_ms / 2)
  await office.start()
  await until('it is made up', () => office.runs()[0]?.state === 'written')
  expect(office.runs()).toMatchObject([{ cause: 'catch_up', assets: 1 }])
  expect(office.asked()).toBe(1)
})
