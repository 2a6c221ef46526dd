import { expect, test } from 'vitest'
import { killRounds } from './kill-rounds.ts'

const kills = 10

test('kill -9 at ten moments of a pass: every content is there once, nothing is lost', async () => {
  const histogram = await killRounds(kills)
  expect([...histogram.values()].reduce((sum, count) => sum + count, 0)).toBe(kills)
  expect(histogram.size).toBe(kills)
}, 240_000)
