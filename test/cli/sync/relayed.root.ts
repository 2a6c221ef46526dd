import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe } from 'vitest'
import { cannotHang } from '../../disk/hung-mount.ts'

const place = mkdtempSync(join(tmpdir(), 'sluice-share-'))

// While a share is mounted anywhere, another process runs the command and this one shows its output.
// A user must not see that.
describe.skipIf(cannotHang())('where a share is mounted', async () => {
  beforeAll(() => void spawnSync('bindfs', [place, place]))
  afterAll(() => void spawnSync('umount', ['-l', place]))

  await import('./sync.test.ts')
  await import('./sync-on-terminal.test.ts')
})
