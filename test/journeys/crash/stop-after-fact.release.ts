import { test } from 'vitest'
import { hour_ms } from '../../../src/base/time/time.ts'
import { everyFact, everyStop, expectSameEnds } from './stops.ts'

test('stopped after every single fact and started again: the final state is that of the undisturbed run', {
  timeout: 5 * hour_ms,
}, async () => {
  await expectSameEnds(everyStop(await everyFact()), 4 * hour_ms)
})
