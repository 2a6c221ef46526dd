import { test } from 'vitest'
import { hour_ms, minute_ms } from '../../src/base/time.ts'
import { everyFact, everyStop, expectSameEnds } from './stops.ts'

/**
 * Some 1,900 of them take a quarter of an hour on two good cores, and half an hour on slow ones: what is left out is printed.
 * `ALL_STOPS=1` takes the time it takes.
 */
const most_ms = process.env.ALL_STOPS ? 4 * hour_ms : 6 * minute_ms

test('stopped after every single fact, started again: the end is that of the undisturbed run', {
  timeout: 5 * hour_ms,
}, async () => {
  await expectSameEnds(everyStop(await everyFact()), most_ms)
})
