import { test } from 'vitest'
import { runMutations } from './mutation-run.ts'

test('every field of every answer, left out or renamed, turns the facts red', async () => {
  await runMutations((mutations) => mutations)
})
