import { test } from 'vitest'
import { killRounds } from './kill-rounds.ts'

test('kill -9 at 26 moments, every place at least once: every content exists once, and none is lost', () =>
  killRounds(26, 1))
