import { test } from 'vitest'
import { liveUnderChokidar } from './chokidar-life.ts'

// The full number of steps is in watched-by-chokidar.long.ts.
test(
  'chokidar: 120 directories made in one another, swapped and renamed, at the start and later: all comes in, nearly all soon',
  {
    timeout: 90_000,
  },
  () => liveUnderChokidar(120),
)
