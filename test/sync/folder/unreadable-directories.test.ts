import { expect, test } from 'vitest'
import { second_ms } from '../../../src/base/time/time.ts'
import type { PathState } from '../../../src/disk/read/examiner.ts'
import { createUnreadableDirectories } from '../../../src/sync/folder/missed-events.ts'
import { FakeClock } from '../../rig/fake-clock.ts'

const shut: PathState = { kind: 'unreadable', code: 'EACCES' }

test('tries an unreadable directory every half minute until it can be read', async () => {
  const clock = new FakeClock()
  const asked: string[][] = []
  let states: PathState[] = [shut, shut]
  const lstat = async (_root: string, paths: readonly string[]) => {
    asked.push([...paths])
    return states
  }
  const directories = createUnreadableDirectories('/docs', { clock, examiner: { lstat } })
  expect(await directories.isOneOpen()).toBe(false)
  directories.scanEnded({ unreadable: ['a', 'b/c'].map((path) => ({ path, code: 'EACCES' })) })
  for (let seconds = 0; seconds < 60; seconds += 5) {
    expect(await directories.isOneOpen()).toBe(false)
    await clock.advance(5 * second_ms)
  }
  expect(asked).toEqual([['a/.', 'b/c/.']])
  states = [shut, { kind: 'directory' }]
  expect(await directories.isOneOpen()).toBe(true)
  // The following scan reports what is still unreadable.
  directories.scanEnded({ unreadable: [] })
  await clock.advance(60 * second_ms)
  expect(await directories.isOneOpen()).toBe(false)
  expect(asked).toHaveLength(2)

  // A later scan could read the directory before the next try.
  directories.scanEnded({ unreadable: [{ path: 'a', code: 'EACCES' }] })
  directories.scanEnded({ unreadable: [] })
  expect(await directories.isOneOpen()).toBe(true)
  expect(await directories.isOneOpen()).toBe(false)
})
