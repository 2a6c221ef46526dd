import { expect, test } from 'vitest'
import { mayHang, mayHangAt } from '../../src/base/files/mount-table.ts'

const line = (type: string) => `36 35 0:50 / /mnt rw,noatime shared:1 - ${type} source rw\n`

test('a call may hang where a share or a filesystem of a program is mounted', () => {
  for (const type of ['nfs4', 'cifs', 'fuse', 'fuse.sshfs', 'fuseblk', 'autofs', '9p'])
    expect([type, mayHang(line('ext4') + line(type))]).toEqual([type, true])
  for (const type of ['ext4', 'tmpfs', 'fusectl', 'overlay'])
    expect([type, mayHang(line(type))]).toEqual([type, false])
})

test('without a mount table, every path may hang', () => {
  expect(mayHang('')).toBe(true)
})

test('of one path, the mount decides that is nearest, and of two at one place the upper one', () => {
  const at = (place: string, type: string) => `36 35 0:50 / ${place} rw - ${type} source rw\n`
  const table = at('/', 'ext4') + at('/share', 'nfs4') + at('/share/disk', 'ext4')
  const cases = { '/a': false, '/share': true, '/shared': false, '/share/a': true }
  for (const [path, expected] of Object.entries({ ...cases, '/share/disk/a': false }))
    expect([path, mayHangAt(path, table)]).toEqual([path, expected])
  expect(mayHangAt('/share/disk', table + at('/share/disk', 'fuse.sshfs'))).toBe(true)
  expect(mayHangAt('/a', '')).toBe(true)
})
