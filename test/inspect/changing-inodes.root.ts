import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { Home } from '../cli/sluice.ts'
import { cannotHang, mountThatHangs } from '../disk/hung-mount.ts'

describe.skipIf(cannotHang())('a filesystem whose inode numbers change', () => {
  test('plan and verify know its files again, and read them', async () => {
    const home = await Home.make({ 'a.txt': 'one' })
    const place = join(home.path, 'share')
    await mountThatHangs(join(home.path, 'share-disk'), place)
    writeFileSync(join(home.path, 'share-disk/same.txt'), 'one')
    home.configure({ folders: [{ name: 'share', path: place, settle_ms: 50 }] })
    const before = await home.sluice('plan', '--hash')
    expect(before.out).toContain('1 file (3 B): same bytes as another one here')

    expect((await home.sluice('sync')).code).toBe(0)
    const after = JSON.parse((await home.sluice('plan', '--json')).out)
    expect(after.would_upload).toEqual({ files: 0, bytes: 0 })
    const whole = JSON.parse((await home.sluice('verify', '--full', '--json')).out)
    expect(whole.folders).toMatchObject([{ read: 1 }, { read: 1 }])
    expect(whole.complete).toBe(true)
  })
})
