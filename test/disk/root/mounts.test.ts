import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { startExaminer } from '../../../src/disk/read/examiner.ts'
import { sharesBelow, sharesIn } from '../../../src/disk/root/mounts.ts'
import { startRootAsker } from '../../../src/disk/root/root-asker.ts'
import { makeTree } from '../../rig/tree.ts'
import { mountUnresponsive } from '../unresponsive-mount.ts'

function table(
  root: string,
  mounts: readonly (readonly [place: string, device: string, type: string])[],
): string {
  return mounts
    .map(
      ([place, device, type], id) =>
        `${id} 1 ${device} / ${root}${place} rw,relatime shared:1 - ${type} source rw`,
    )
    .join('\n')
}

describe('by the mount table', () => {
  const root = makeTree({})
  const all = [
    ['', '8:1', 'ext4'],
    ['/nfs', '0:50', 'nfs4'],
    ['/a/sshfs', '0:51', 'fuse.sshfs'],
    ['/with\\040blank', '0:52', 'cifs'],
    ['/disk', '8:17', 'ext4'],
    ['/memory', '0:53', 'tmpfs'],
  ] as const

  test('lists shares below the root, and covers what is in them', () => {
    const shares = sharesIn(root, table(root, all))
    for (const path of ['nfs', 'a/sshfs', 'with blank']) {
      expect([path, shares.isPlace(path), shares.covers(path)]).toEqual([path, true, true])
    }
    expect([shares.isPlace('nfs/in/it'), shares.covers('nfs/in/it')]).toEqual([false, true])
    for (const path of ['', 'a', 'nfs2', 'disk', 'memory', 'disk/nfs']) {
      expect([path, shares.isPlace(path), shares.covers(path)]).toEqual([path, false, false])
    }
  })

  test('lists no share that is part of the root’s own', () => {
    const mounts = [
      ['', '0:50', 'nfs4'],
      ['/part', '0:50', 'nfs4'],
      ['/other', '0:51', 'nfs4'],
    ] as const
    const shares = sharesIn(root, table(root, mounts))
    expect([shares.isPlace('part'), shares.isPlace('other')]).toEqual([false, true])
  })

  test('takes the last mount at the nearest place for the root', () => {
    const mounts = [
      ['', '8:1', 'ext4'],
      ['', '0:50', 'nfs4'],
      ['/part', '0:50', 'nfs4'],
    ] as const
    expect(sharesIn(root, table(root, mounts)).isPlace('part')).toBe(false)
  })

  test('finds nothing without a table or without a root', () => {
    expect(sharesIn(root, '').covers('a')).toBe(false)
    expect(sharesIn(join(root, 'missing'), table(root, all)).covers('nfs')).toBe(false)
  })
})

test('a path below an unresponsive share is another disk, and the share is not asked', async ({
  skip,
}) => {
  const root = makeTree({ 'a.txt': 'a' })
  mkdirSync(join(root, 'share'))
  const unmount = mountUnresponsive(join(root, 'share'))
  if (!unmount)
    return skip('only root can mount an unresponsive file system, and only where there is FUSE')
  const roots = startRootAsker(system_clock)
  const examiner = startExaminer({ threads: 1, silence: { roots, answer_ms: 60_000 } })
  try {
    expect(sharesBelow(root).isPlace('share')).toBe(true)
    const other_disk = { kind: 'unreadable', code: 'EXDEV' }
    expect(await examiner.lstat(root, ['a.txt', 'share', 'share/in/it.txt'])).toMatchObject([
      { kind: 'file' },
      other_disk,
      other_disk,
    ])
  } finally {
    unmount()
    await examiner.close()
    await roots.close()
  }
})
