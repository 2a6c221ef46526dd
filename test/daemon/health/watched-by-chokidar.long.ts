import { test } from 'vitest'
import { liveUnderChokidar } from './chokidar-life.ts'

test('chokidar: 500 nested, swapped and renamed directories at the start and later: every file is uploaded, nearly all soon', () =>
  liveUnderChokidar(500))
