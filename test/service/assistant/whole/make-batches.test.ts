import fc from 'fast-check'
import { expect, test } from 'vitest'
import { halveBatch, makeBatches } from '../../../../src/service/assistant/whole/make-batches.ts'

type Halves = ReturnType<typeof makeBatches<{ at: number; chars: number }>>[number]

const items = (...lengths: number[]) => lengths.map((chars, at) => ({ at, chars }))
const charsIn = (groups: readonly (readonly { chars: number }[])[]) =>
  groups.map((group) => group.map(({ chars }) => chars))

test.each([
  [[], 10, []],
  [[4, 4, 4], 10, [[4, 4], [4]]],
  // A short one goes where space is left; a long one has a batch of its own.
  [[6, 6, 4, 20, 4], 10, [[6, 4], [6, 4], [20]]],
  [[10, 10], 10, [[10], [10]]],
])('%j in batches of %i', (lengths, max, batches) => {
  const made = makeBatches(items(...lengths), max)
  expect(charsIn(made.map((batch) => batch.items))).toEqual(batches)
})

const some_items = fc
  .array(fc.integer({ min: 1, max: 40 }), { maxLength: 60 })
  .map((all) => items(...all))

test('each item is in exactly one batch, and no batch of several is too long', () => {
  fc.assert(
    fc.property(some_items, fc.integer({ min: 1, max: 60 }), (all, max) => {
      const batches = makeBatches(all, max)
      const inside = batches.flatMap((batch) => batch.items)
      expect(inside.toSorted((a, b) => a.at - b.at)).toEqual(all)
      for (const { items: some, chars } of batches) {
        expect(chars).toBe(some.reduce((sum, item) => sum + item.chars, 0))
        expect(some.length === 1 || chars <= max).toBe(true)
      }
      expect(batches[0]?.items[0]).toEqual(all[0])
    }),
  )
})

test('halves keep all items in order, and neither is empty', () => {
  fc.assert(
    fc.property(
      some_items.filter((all) => all.length > 1),
      (all) => {
        const chars = all.reduce((sum, item) => sum + item.chars, 0)
        const [one, other] = halveBatch({ items: all, chars }) as [Halves, Halves]
        expect([...one.items, ...other.items]).toEqual(all)
        expect([one.items.length > 0, other.items.length > 0]).toEqual([true, true])
        expect(one.chars + other.chars).toBe(chars)
      },
    ),
  )
  expect(halveBatch({ items: items(9), chars: 9 })).toBeUndefined()
})
