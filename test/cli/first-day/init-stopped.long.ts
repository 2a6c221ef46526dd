import { test } from 'vitest'
import { has_terminals } from '../pseudo-terminal.ts'
import { Home } from '../sluice.ts'
import { questions, stopAt } from './init-questions.ts'

test.skipIf(!has_terminals)('Ctrl-C stops the wizard at each question', async () => {
  const home = await Home.make({ 'a.txt': 'one', 'b/c.md': 'two' })
  const all = questions(home)
  for (const at of all.keys()) await stopAt(home, all, at)
})
