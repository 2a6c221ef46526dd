import { expect, test } from 'vitest'
import { chooseWatcher, type WatchFacts } from '../../../src/disk/watch/choose-watcher.ts'

const shares = { chokidar_entries: 10_000, inotify_percent: 75, memory_percent: 25 }

function facts(files: number, directories: number, other: Partial<WatchFacts> = {}): WatchFacts {
  return {
    setting: 'auto',
    filesystem: 'ext4',
    remote: false,
    share_below: false,
    counted: { files, directories, is_lower_bound: false },
    inotify: { name: 'fs.inotify.max_user_watches', value: 192_536, taken: 0 },
    free_memory_bytes: 8e9,
    native_fault: undefined,
    given_up: undefined,
    ...other,
  }
}

const limit = { name: 'fs.inotify.max_user_watches', value: 192_536, taken: 0 }
const no_native = 'native watching is for Linux alone'

test.each<[string, WatchFacts, string]>([
  ['an ordinary tree', facts(1_204, 31), 'chokidar: 1,204 files'],
  ['a single file', facts(1, 1), 'chokidar: 1 file'],
  ['the last for chokidar', facts(9_000, 1_000), 'chokidar: 9,000 files'],
  [
    'one more',
    facts(9_001, 1_000),
    'native: 9,001 files, a watch for each file is for up to 10,000 files and folders',
  ],
  [
    'more than the kernel allows chokidar',
    facts(210_000, 2_000),
    'native: 210,000 files, a watch for each file would take 212,000 inotify watches of 192,536, by fs.inotify.max_user_watches',
  ],
  [
    'counting stopped there',
    facts(0, 0, { counted: { files: 10_001, directories: 0, is_lower_bound: true } }),
    'native: more than 10,001 files, a watch for each file is for up to 10,000 files and folders',
  ],
  [
    'other folders take too many watches',
    facts(5_000, 100, { inotify: { ...limit, value: 8_192, taken: 4_000 } }),
    'native: 5,000 files, a watch for each file would take 5,100 inotify watches of 8,192 (other folders take 4,000), by fs.inotify.max_user_watches',
  ],
  [
    'more folders than the kernel allows',
    facts(400_000, 200_000),
    'scan: 400,000 files, a watch for each file would take 600,000 inotify watches of 192,536, by fs.inotify.max_user_watches; a watch for each folder would take ' +
      '200,000 inotify watches of 192,536, by fs.inotify.max_user_watches; to have it watched: sysctl -w fs.inotify.max_user_watches=524288',
  ],
  [
    'little memory',
    facts(9_000, 100, { free_memory_bytes: 100e6 }),
    'native: 9,000 files, a watch for each file would take 82 MB of 100 MB free memory',
  ],
  [
    'hardly any memory',
    facts(900_000, 10_000, { free_memory_bytes: 100e6 }),
    'scan: 900,000 files, a watch for each file would take 910,000 inotify watches of 192,536, by fs.inotify.max_user_watches; a watch for each folder would take ' +
      '60 MB of 100 MB free memory',
  ],
  [
    'no native watching, and few',
    facts(500, 5, { native_fault: no_native }),
    'chokidar: 500 files',
  ],
  [
    'no native watching, and many',
    facts(50_000, 5, { native_fault: no_native }),
    `chokidar: 50,000 files; ${no_native}`,
  ],
  [
    'no native watching, and too many',
    facts(200_000, 5, { native_fault: no_native }),
    'scan: 200,000 files, a watch for each file would take 200,005 inotify watches of 192,536, by fs.inotify.max_user_watches; ' +
      `${no_native}; to have it watched: sysctl -w fs.inotify.max_user_watches=524288`,
  ],
  [
    'no limit that can be read',
    facts(20_000, 5, { inotify: { ...limit, value: Number.POSITIVE_INFINITY } }),
    'native: 20,000 files, a watch for each file is for up to 10,000 files and folders',
  ],
  [
    'a share',
    facts(5, 1, { filesystem: 'nfs', remote: true }),
    'scan: nfs: what other machines change there gives no event here',
  ],
  [
    'a share is mounted in it, and chokidar is asked for',
    facts(5, 1, { setting: 'chokidar', share_below: true }),
    'native: 5 files, a share is mounted in it, which a watch for each file would ask',
  ],
  [
    'given up before',
    facts(5, 1, { given_up: 'chokidar missed changes' }),
    'scan: chokidar missed changes',
  ],
  ['asked for: scan', facts(5, 1, { setting: 'scan' }), 'scan: watch: scan in the configuration'],
  [
    'asked for: native, on a share',
    facts(5, 1, { setting: 'native', remote: true }),
    'native: watch: native in the configuration',
  ],
  [
    'asked for: chokidar, and many',
    facts(900_000, 1, { setting: 'chokidar' }),
    'chokidar: watch: chokidar in the configuration',
  ],
  [
    'asked for: native, and there is none',
    facts(5, 1, { setting: 'native', native_fault: no_native }),
    'chokidar: 5 files',
  ],
  [
    'asked for: native, and given up before',
    facts(5, 1, { setting: 'native', given_up: 'native missed changes' }),
    'scan: native missed changes',
  ],
])('%s', (_what, facts, answer) => {
  const { watcher, reason, watches } = chooseWatcher(facts, shares)
  expect(`${watcher}: ${reason}`).toBe(answer)
  const { files, directories } = facts.counted
  expect(watches).toBe({ chokidar: files + directories, native: directories, scan: 0 }[watcher])
})
