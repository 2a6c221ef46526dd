import { test } from 'vitest'
import { minute_ms } from '../../../src/base/time/time.ts'
import { everyFact, everyStop, expectSameEnds } from './stops.ts'

/** Some 1,900 of them take a quarter of an hour on two good cores: each commit draws others, and a release tries them all. */
const max_ms = 2 * minute_ms

test('stopped after facts that the commit draws, started again: the end is that of the undisturbed run', async () => {
  await expectSameEnds(everyStop(await everyFact()), max_ms)
})
