import { mkdirSync, writeFileSync } from 'node:fs'
import { hostname } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { holdLock } from '../../../src/base/files/lock.ts'
import { makeTree } from '../../rig/tree.ts'

test('the error of a lock names its holder, and not the one before, which was killed', () => {
  const file = join(makeTree(), 'lock.db')
  writeFileSync(`${file}.holder`, 'sluice run (process 7 on nas)')
  const lock = holdLock(file, 'sluice sync')
  expect(() => holdLock(file, 'sluice run')).toThrow(
    expect.objectContaining({
      code: 'database.locked',
      message: `sluice sync (process ${process.pid} on ${hostname()})`,
    }),
  )
  lock.release()
  holdLock(file, 'sluice run').release()
})

test('a name that cannot be written takes nothing from the lock', () => {
  const file = join(makeTree(), 'lock.db')
  mkdirSync(`${file}.holder/full`, { recursive: true })
  const lock = holdLock(file, 'sluice run')
  expect(() => holdLock(file, 'sluice run')).toThrow('it has not written down its name')
  lock.release()
  holdLock(file, 'sluice run').release()
})
