import { expect, test } from 'vitest'
import { kill_places } from './kill.ts'
import { killRounds } from './kill-rounds.ts'

const kills = 60
const least_at_a_place = 3

test('kill -9 at sixty moments, every place at least three times: every content is there once, nothing is lost', async () => {
  const histogram = await killRounds(kills)
  expect([...histogram.values()].reduce((sum, count) => sum + count, 0)).toBe(kills)
  for (const place of kill_places) expect(histogram.get(place) ?? 0, place).toBeGreaterThanOrEqual(least_at_a_place)
})
