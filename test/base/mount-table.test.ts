import { expect, test } from 'vitest'
import { mayHang } from '../../src/base/files/mount-table.ts'

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
