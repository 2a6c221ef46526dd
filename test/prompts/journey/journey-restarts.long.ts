import { test } from 'vitest'
import { restartAcross } from './journey-restarts.ts'

test('a hundred restarts around a due time make one run, one question and one report', () =>
  restartAcross(100))
