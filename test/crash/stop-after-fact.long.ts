import { test } from 'vitest'
import { everyFact, everyStop, expectSameEnds } from './stops.ts'

test('stopped after every single fact, started again: the end is that of the undisturbed run', async () => {
  await expectSameEnds(everyStop(await everyFact()))
})
