import { test } from 'vitest'
import { liveUnderChokidar } from './chokidar-life.ts'

// The full number of steps, and the time that they take, are in watched-by-chokidar.long.ts.
test(
  'chokidar: 120 nested, swapped and renamed directories at the start and later: every file is uploaded, nearly all before a scan',
  {
    timeout: 90_000,
  },
  () => liveUnderChokidar(120, 'before a scan'),
)
