import { expect, test } from 'vitest'
import { system_clock } from '../../src/base/time.ts'
import { inotifyLimit } from '../../src/disk/inotify-limits.ts'
import { rootStatus } from '../../src/disk/mount.ts'
import type { FolderState } from '../../src/ledger/ledger.ts'
import type { FolderSettings } from '../../src/sync/folder-settings.ts'
import { chooseForFolder } from '../../src/sync/watch-choice.ts'
import { WatchRoom } from '../../src/sync/watch-room.ts'
import { makeTree } from '../tree.ts'
import { watching } from './usual-watching.ts'

const { value: limit } = inotifyLimit('watches')

test.skipIf(!Number.isFinite(limit))('what the other folders take counts, until they are free', async () => {
  const path = makeTree({ 'a.txt': 'a' })
  const folder = { name: 'notes', path, watch: 'auto' } as FolderSettings
  const room = new WatchRoom()
  const choose = async () =>
    await chooseForFolder({
      folder,
      state: { name: 'notes', watch: undefined, counted: undefined } as FolderState,
      root: { ...rootStatus(path), filesystem: 'ext4', remote: false } as never,
      watching,
      room,
      clock: system_clock,
      native_failed: undefined,
      counted: { files: 1, directories: 1, is_least: false },
      signal: new AbortController().signal,
    })
  expect((await choose()).watcher).toBe('chokidar')
  room.take('others', limit)
  expect(await choose()).toMatchObject({ watcher: 'scan', reason: expect.stringContaining('other folders take') })
  expect(room.takenBesides('others')).toBe(0)
  room.free('others')
  expect((await choose()).watcher).toBe('chokidar')
  expect(room.takenBesides('others')).toBe(2)
})
