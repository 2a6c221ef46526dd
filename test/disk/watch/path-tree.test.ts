import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { PathTree } from '../../../src/disk/watch/path-tree.ts'

/** Few names of which one starts another, so that most paths meet. */
const path = fc
  .array(fc.constantFrom('a', 'aa', 'b', 'a.b'), { maxLength: 4 })
  .map((names) => names.join('/'))

const step = fc.record({ path, does: fc.constantFrom('set', 'set', 'set', 'take') })

test('takeBranch takes the path and all paths below it, and no others', () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const tree = new PathTree<{ id: number }>()
      const plain = new Map<string, { id: number }>()
      for (const [id, { path, does }] of steps.entries()) {
        if (does === 'set') {
          tree.set(path, { id })
          plain.set(path, { id })
        } else expect(byId(tree.takeBranch(path))).toEqual(byId(takePlainly(plain, path)))
        expect(tree.get(path)).toEqual(plain.get(path))
        expect(tree.size).toBe(plain.size)
      }
      expect(new Map(tree.entries())).toEqual(plain)
    }),
    { numRuns: 500 },
  )
})

test('takeBranch costs as much as its branch, however many others there are', () => {
  const tree = new PathTree<object>()
  for (let index = 0; index < 20_000; index += 1) tree.set(`stays${index % 100}/${index}`, {})
  for (let index = 0; index < 1_000; index += 1) tree.set(`gone/${index}`, {})
  const gets = vi.spyOn(Map.prototype, 'get')
  const iterations = vi.spyOn(Map.prototype, Symbol.iterator)
  for (let index = 0; index < 1_000; index += 1) tree.takeBranch(`gone/${index}`)
  const [got, iterated] = [gets.mock.calls.length, iterations.mock.calls.length]
  vi.restoreAllMocks()
  expect(got).toBeLessThanOrEqual(2_000)
  expect(iterated).toBe(0)
  expect(tree.size).toBe(20_000)
})

/** A plain version that defines the right result. */
function takePlainly<Value>(plain: Map<string, Value>, top: string): Value[] {
  const taken = [...plain].filter(
    ([path]) => top === '' || path === top || path.startsWith(`${top}/`),
  )
  for (const [path] of taken) plain.delete(path)
  return taken.map(([, value]) => value)
}

function byId(values: readonly { id: number }[]): number[] {
  return values.map(({ id }) => id).sort((a, b) => a - b)
}
