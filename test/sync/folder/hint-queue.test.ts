import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createHintQueue } from '../../../src/sync/folder/hints.ts'

const limits = { max_hints: 10, directory_hints: 100 }

test('returns each path once, in portions', () => {
  const queue = createHintQueue(limits)
  for (const path of ['a', 'b', 'a', 'c']) expect(queue.add({ kind: 'path', path })).toBe(true)
  expect(queue.take(2)).toEqual({ paths: ['a', 'b'], directories: [] })
  expect(queue.take(2)).toEqual({ paths: ['c'], directories: [] })
  expect(queue.isEmpty()).toBe(true)
})

test('a directory covers the paths below it, not its neighbours', () => {
  const queue = createHintQueue(limits)
  for (const path of ['a/b', 'a', 'a-b', 'ab', 'a/b/c']) queue.add({ kind: 'directory', path })
  expect(queue.take(5).directories.sort()).toEqual(['a', 'a-b', 'ab'])
})

test('too many hints are replaced by one scan', () => {
  const queue = createHintQueue({ ...limits, max_hints: 2 })
  expect(queue.add({ kind: 'path', path: 'a' })).toBe(true)
  expect(queue.add({ kind: 'directory', path: 'b' })).toBe(true)
  expect(queue.add({ kind: 'path', path: 'c' })).toBe(false)
  expect(queue.isEmpty()).toBe(true)
})

test('many paths in one directory become one check of it; at the root they stay separate', () => {
  const queue = createHintQueue({ max_hints: 1_000, directory_hints: 3 })
  for (let index = 0; index < 500; index++) queue.add({ kind: 'path', path: `d/${index}` })
  for (const path of ['e/1', 'e/2', 'd', 'r2', 'r3', 'r4']) queue.add({ kind: 'path', path })
  expect(queue.take(10)).toEqual({
    paths: ['e/1', 'e/2', 'd', 'r2', 'r3', 'r4'],
    directories: ['d'],
  })
})

const name = fc.constantFrom('a', 'b', 'a-b', 'c')
const hint = fc.record({
  kind: fc.constantFrom('path' as const, 'directory' as const),
  path: fc.array(name, { minLength: 1, maxLength: 3 }).map((names) => names.join('/')),
})

test('property: the taken hints cover every given one, or the folder is scanned; a portion never exceeds its limit', () => {
  const bounds = fc.record({
    max_hints: fc.integer({ min: 1, max: 8 }),
    directory_hints: fc.integer({ min: 2, max: 4 }),
  })
  fc.assert(
    fc.property(fc.array(hint, { maxLength: 40 }), bounds, (hints, bounds) => {
      const queue = createHintQueue(bounds)
      let waiting: typeof hints = []
      for (const hint of hints) waiting = queue.add(hint) ? [...waiting, hint] : []
      const { paths, directories } = queue.take(100)
      expect(paths.length + directories.length).toBeLessThanOrEqual(bounds.max_hints)
      for (const { kind, path } of waiting) {
        const is_covered = directories.some((directory) => `${path}/`.startsWith(`${directory}/`))
        expect(is_covered || (kind === 'path' && paths.includes(path))).toBe(true)
      }
      expect(queue.isEmpty()).toBe(true)
    }),
  )
})
