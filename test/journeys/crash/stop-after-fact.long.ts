import { test } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import { everyFact, everyStop, expectSameEnds } from './stops.ts'

/**
 * Some 1,900 stops take a quarter of an hour on two good cores. Each commit draws others, and a
 * release tries them all.
 */
const max_ms = 2 * minute_ms

test('stopped after random facts and started again: the final state is that of the undisturbed run', async () => {
  await expectSameEnds(everyStop(await everyFact()), max_ms)
})
