import { expect } from 'vitest'
import { distribution, type FuzzResult } from './fuzz.ts'

/** The conditions that hold for any requests. */
export function checkFuzz(result: FuzzResult): void {
  const printed = distribution(result)
  console.log(printed)
  expect(result.unlike_described).toEqual([])
  expect(result.failures, result.log.join('\n')).toBe(0)
  expect(result.past_the_door / result.sent, printed).toBeGreaterThanOrEqual(0.6)
  for (const [id, counts] of result.statuses) {
    const statuses = [...counts.keys()]
    expect(
      statuses.some((status) => status < 300),
      `${id} never succeeds`,
    ).toBe(true)
    expect(statuses, `${id} is never refused`).toContain(400)
    expect(statuses, `${id} always finds what it is about`).toContain(404)
  }
}
