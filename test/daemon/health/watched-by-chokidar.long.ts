import { test } from 'vitest'
import { in_time, liveUnderChokidar } from './chokidar-life.ts'

test('chokidar: 500 nested, swapped and renamed directories at the start and later: every file is uploaded, nearly all soon', () =>
  liveUnderChokidar(500, in_time))
