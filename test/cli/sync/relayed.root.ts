import { spawnSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { exit_codes } from '../../../src/cli/exit-codes.ts'
import { cannotHang } from '../../disk/hung-mount.ts'
import { Home } from '../sluice.ts'

const place = mkdtempSync(join(tmpdir(), 'sluice-share-'))

// While a share is mounted anywhere, another process runs the command and this one shows its
// output. A user must not see that.
describe.skipIf(cannotHang())('where a share is mounted', async () => {
  beforeAll(() => void spawnSync('bindfs', [place, place]))
  afterAll(() => void spawnSync('umount', ['-l', place]))

  await import('./sync.test.ts')
  await import('./sync-on-terminal.test.ts')

  test('messages that nobody reads do not hold the command up', async () => {
    const home = await Home.make()
    // More faults, each with a line, than the buffers in between hold.
    const faults = Array.from({ length: 10_000 }, (_, at) => ({ [`unknown_${at}`]: 'x' }))
    home.configure({ service: Object.assign({}, ...faults) })
    const running = home.start('sync')
    running.child.stderr!.destroy()
    expect((await running.ended).code).toBe(exit_codes.config)
  })
})
