import { test } from 'vitest'
import { questions, stopAt } from './init-questions.ts'
import { has_terminals } from './pseudo-terminal.ts'
import { Home } from './sluice.ts'

test.skipIf(!has_terminals)('Ctrl-C at each question', async () => {
  const home = await Home.make({ 'a.txt': 'one', 'b/c.md': 'two' })
  const all = questions(home)
  for (const at of all.keys()) await stopAt(home, all, at)
})
