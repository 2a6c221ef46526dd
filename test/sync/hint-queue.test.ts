import { expect, test } from 'vitest'
import { HintQueue } from '../../src/sync/hint-queue.ts'

test('each path once, in portions', () => {
  const queue = new HintQueue(10)
  for (const path of ['a', 'b', 'a', 'c']) expect(queue.add({ kind: 'path', path })).toBe(true)
  expect(queue.take(2)).toEqual({ paths: ['a', 'b'], directories: [] })
  expect(queue.take(2)).toEqual({ paths: ['c'], directories: [] })
  expect(queue.isEmpty()).toBe(true)
})

test('a directory covers those below it, and not its neighbours', () => {
  const queue = new HintQueue(10)
  for (const path of ['a/b', 'a', 'ab', 'a/b/c']) queue.add({ kind: 'directory', path })
  expect(queue.take(5).directories).toEqual(['a', 'ab'])
})

test('too many hints are dropped for one scan', () => {
  const queue = new HintQueue(2)
  expect(queue.add({ kind: 'path', path: 'a' })).toBe(true)
  expect(queue.add({ kind: 'directory', path: 'b' })).toBe(true)
  expect(queue.add({ kind: 'path', path: 'c' })).toBe(false)
  expect(queue.isEmpty()).toBe(true)
})
