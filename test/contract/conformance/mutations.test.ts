import { test } from 'vitest'
import { runMutations } from './mutation-run.ts'

test('a field less in the answers of any call turns the facts red', async () => {
  // One for each call here, the last one that came: as a rule one that need not be there. All of them in mutations.long.ts.
  await runMutations((mutations) => mutations.filter(({ how }) => how !== 'rename').slice(-1))
})
