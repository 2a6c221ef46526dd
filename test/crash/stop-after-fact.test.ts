import { expect, test } from 'vitest'
import { fact_types } from './fact-types.ts'
import { everyFact, expectSameEnds, oneOfEach } from './stops.ts'

test('stopped after a fact of every type, started again: the end is that of the undisturbed run', async () => {
  const facts = await everyFact()
  const recorded = new Set(facts.map(({ stop }) => stop.type))
  expect(
    fact_types.filter((type) => !recorded.has(type)),
    'no scenario records these',
  ).toEqual([])
  await expectSameEnds(oneOfEach(facts))
}, 240_000)
