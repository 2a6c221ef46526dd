import { test } from 'vitest'
import { fuzz } from './fuzz.ts'
import { checkFuzz } from './fuzz-check.ts'

test('500 requests made from the description cause no failure; every route succeeds, refuses and misses', async () => {
  checkFuzz(
    await fuzz(
      500,
      Number(process.env.SLUICE_FUZZ_SEED ?? Math.floor(performance.timeOrigin % 1e6)),
    ),
  )
})
