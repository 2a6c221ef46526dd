import { test } from 'vitest'
import { killRounds } from './kill-rounds.ts'

test('kill -9 at sixty moments, every place at least three times: every content exists once, and none is lost', () =>
  killRounds(60, 3))
