import { expect, test } from 'vitest'
import { createLargeChecks } from '../../../src/sync/intake/check-turns.ts'

/** A check that ends when the test says so. */
function held() {
  let begun = 0
  const ends: (() => void)[] = []
  const work = () => {
    begun += 1
    return new Promise<'recorded'>((resolve) => ends.push(() => resolve('recorded')))
  }
  return { work, begun: () => begun, end: () => ends.shift()!() }
}

async function turn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve))
}

test('a caller that asks during a check does not wait: one more check follows for all of them', async () => {
  const checks = createLargeChecks()
  const { work, begun, end } = held()
  expect(checks.askAgain('docs', 'huge.bin')).toBe(false)
  const checked = checks.check('docs', 'huge.bin', work)
  expect(checks.askAgain('docs', 'huge.bin')).toBe(true)
  expect(checks.askAgain('docs', 'huge.bin')).toBe(true)
  expect(checks.askAgain('other', 'huge.bin')).toBe(false)
  end()
  await turn()
  expect(begun()).toBe(2)
  end()
  expect(await checked).toBe('recorded')
  expect(checks.askAgain('docs', 'huge.bin')).toBe(false)
})

test('only one check of a file runs at a time', async () => {
  const checks = createLargeChecks()
  const { work, begun, end } = held()
  const both = [checks.check('docs', 'huge.bin', work), checks.check('docs', 'huge.bin', work)]
  expect(begun()).toBe(1)
  end()
  expect(await Promise.all(both)).toEqual(['recorded', 'recorded'])
})

test('a failed check is over', async () => {
  const checks = createLargeChecks()
  await expect(
    checks.check('docs', 'huge.bin', () => Promise.reject(new Error('the disk'))),
  ).rejects.toThrow('the disk')
  expect(checks.askAgain('docs', 'huge.bin')).toBe(false)
})

test.each([0, 1, 2, 3, 4, 5])(
  'a request %i turns after the end of a check starts another one, or learns that no check runs',
  async (turns) => {
    const checks = createLargeChecks()
    const { work, begun, end } = held()
    const checked = checks.check('docs', 'huge.bin', work)
    end()
    for (let left = turns; left > 0; left -= 1) await undefined
    const is_accepted = checks.askAgain('docs', 'huge.bin')
    await turn()
    expect(begun()).toBe(is_accepted ? 2 : 1)
    if (is_accepted) end()
    await checked
  },
)
