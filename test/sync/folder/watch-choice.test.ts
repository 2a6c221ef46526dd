import { expect, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { rootStatus } from '../../../src/disk/root/root.ts'
import { inotifyLimit } from '../../../src/disk/watch/watch-trouble.ts'
import type { FolderState } from '../../../src/ledger/ledger.ts'
import {
  type ChoiceFacts,
  chooseForFolder,
  createWatchRoom,
  type WatchRoom,
} from '../../../src/sync/folder/watch-choice.ts'
import type { FolderSettings } from '../../../src/sync/folder-settings.ts'
import { makeTree } from '../../rig/tree.ts'
import { watching } from './usual-watching.ts'

const { value: limit } = inotifyLimit('watches')

function choose(name: string, path: string, room: WatchRoom, change: Partial<ChoiceFacts> = {}) {
  return chooseForFolder({
    folder: {
      name,
      path,
      watch: 'auto',
      include: [],
      exclude: [],
      dot_files: false,
    } as unknown as FolderSettings,
    state: { name, watch: undefined, counted: undefined } as FolderState,
    root: { ...rootStatus(path), filesystem: 'ext4', remote: false } as never,
    watching,
    room,
    clock: system_clock,
    native_failed: undefined,
    counted: undefined,
    signal: new AbortController().signal,
    ...change,
  })
}

test.skipIf(!Number.isFinite(limit))(
  'the entries of other folders count until those folders are released',
  async () => {
    const path = makeTree({ 'a.txt': 'a' })
    const room = createWatchRoom()
    const chosen = () =>
      choose('notes', path, room, { counted: { files: 1, directories: 1, is_lower_bound: false } })
    expect((await chosen()).watcher).toBe('chokidar')
    room.take('others', limit)
    expect(await chosen()).toMatchObject({
      watcher: 'scan',
      reason: expect.stringContaining('other folders take'),
    })
    expect(room.takenBesides('others')).toBe(0)
    room.free('others')
    expect((await chosen()).watcher).toBe('chokidar')
    expect(room.takenBesides('others')).toBe(2)
  },
)

test.skipIf(!Number.isFinite(limit))(
  'folders that choose at the same time do not reserve the same entries',
  async () => {
    const tree = Object.fromEntries(Array.from({ length: 100 }, (_, index) => [`${index}.txt`, '']))
    const room = createWatchRoom()
    const for_one = { ...watching, inotify_percent: (150 / limit) * 100 }
    const choices = await Promise.all(
      ['one', 'two'].map((name) => choose(name, makeTree(tree), room, { watching: for_one })),
    )
    expect(choices.map(({ watcher }) => watcher).sort()).toEqual(['chokidar', 'native'])
  },
)
