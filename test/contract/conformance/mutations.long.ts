import { test } from 'vitest'
import { runMutations } from './mutation-run.ts'

test('some fact fails when any field of any answer is left out or renamed', async () => {
  await runMutations((mutations) => mutations)
})
