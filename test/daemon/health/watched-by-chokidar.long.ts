import { test } from 'vitest'
import { liveUnderChokidar } from './chokidar-life.ts'

test('chokidar: 500 directories made in one another, swapped and renamed, at the start and later: all comes in, nearly all soon', () =>
  liveUnderChokidar(500))
