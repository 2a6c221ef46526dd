import { lstatSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import fc from 'fast-check'
import { expect, onTestFinished, test } from 'vitest'
import { unwatched } from '../../../src/base/run/heartbeat.ts'
import { hour_ms } from '../../../src/base/time/time.ts'
import { type OnlineRoot, rootStatus } from '../../../src/disk/root/root.ts'
import type { Fact } from '../../../src/domain/fact.ts'
import type { FileStat } from '../../../src/domain/file.ts'
import type { DeviceTurns } from '../../../src/sync/folder/device-turns.ts'
import { compareWithKnown, scanOnce } from '../../../src/sync/folder/scan-folder.ts'
import type { FolderSettings } from '../../../src/sync/folder-settings.ts'
import type { Intake } from '../../../src/sync/intake/intake.ts'
import { filesOnDisk } from '../../journeys/rig/disk-truth.ts'
import { openRig } from '../../ledger/views/view-rig.ts'
import { makeTree, type TreeEntry } from '../../rig/tree.ts'
import { no_found_files } from '../no-found-files.ts'

/** The device that the rig records. */
const known_device = 1n

/** A folder and its ledger; each check is noted, and recorded as found. */
async function rigOf(tree: Readonly<Record<string, TreeEntry>>) {
  const root = makeTree(tree)
  const rig = await openRig({ root })
  const checked: string[] = []
  const acts: string[] = []
  const turns: DeviceTurns = {
    async take(device, _signal, scan) {
      acts.push(`takes its turn on ${device}`)
      const answer = await scan()
      acts.push('ends it')
      return answer
    },
  }
  const intake: Intake = {
    async checkPaths(folder, paths) {
      checked.push(...paths)
      acts.push('looks')
      await rig.ledger.record(paths.map((path): Fact => factOf(folder, root, path)))
      return 'recorded'
    },
    checkLarge: async () => 'recorded' as const,
    beginScan: async () => no_found_files,
    inFlight: () => 0,
  }
  const settings: FolderSettings = {
    name: 'notes',
    path: root,
    include: [],
    exclude: [],
    dot_files: true,
    max_file_bytes: 1_000,
    settle_ms: 5_000,
    settle_cap_ms: hour_ms,
    start: { kind: 'all' },
    upload_name: 'path',
    mime_types: {},
    watch: 'scan',
    rescan_interval_ms: hour_ms,
  }
  const toolsFor = (device: bigint) => ({
    ...rig,
    intake,
    heartbeats: unwatched,
    turns,
    roots: {
      status: async () => ({ ...(rootStatus(root) as OnlineRoot), device, identity: undefined }),
    },
    answer_ms: hour_ms,
    empty_folder_files: 1_000,
    missing_files: 1_000,
    missing_percent: 100,
  })
  return {
    root,
    acts,
    ledger: rig.ledger,
    closeLedger: rig.closeLedger,
    /**
     * The paths that one scan checked, in order. `device`: the device that is mounted during the
     * walk.
     */
    async scan(
      under?: string,
      { device = known_device, ends = 'finished' } = {},
    ): Promise<string[]> {
      const outcome = await scanOnce(settings, toolsFor(device), {
        signal: new AbortController().signal,
        ...(under === undefined ? {} : { under }),
      })
      expect(outcome.kind).toBe(ends)
      return checked.splice(0).sort()
    },
    /** The number of known files that another disk would have, too. */
    async met(): Promise<number | undefined> {
      const [state] = await rig.ledger.folders()
      const where = {
        state: state!,
        device: known_device + 1n,
        is_known_disk: false,
        signal: new AbortController().signal,
      }
      return (await compareWithKnown(settings, toolsFor(where.device), where))?.met
    },
  }
}

function factOf(folder: string, root: string, path: string): Fact {
  const stat = lstatSync(join(root, path), { bigint: true, throwIfNoEntry: false })
  if (!stat?.isFile()) return { type: 'file_gone', folder, path }
  const seen: FileStat = {
    size: Number(stat.size),
    mtime_ns: stat.mtimeNs,
    ctime_ns: stat.ctimeNs,
    inode: stat.ino,
  }
  return {
    type: 'file_settled',
    folder,
    path,
    stat: seen,
    md5: path.length.toString(16).padStart(32, '0'),
  }
}

/** The state of each file: a scan must find a change of any part of it. */
function stateOf(root: string): Map<string, string> {
  const state = (path: string) => {
    const { size, mtimeNs, ctimeNs, ino } = lstatSync(join(root, path), { bigint: true })
    return [size, mtimeNs, ctimeNs, ino].join(' ')
  }
  return new Map([...filesOnDisk(root).keys()].map((path) => [path, state(path)]))
}

function differing(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
): string[] {
  return [...new Set([...before.keys(), ...after.keys()])]
    .filter((path) => before.get(path) !== after.get(path))
    .sort()
}

const directories = ['a', 'a/b', 'a!', 'c', 'c/d/e']
const some_path = fc
  .tuple(fc.constantFrom('', ...directories), fc.nat(30))
  .map(([directory, number]) => join(directory, `file ${number}.txt`))
const act = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant('write' as const), path: some_path }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant('remove' as const), path: some_path }) },
  {
    weight: 1,
    arbitrary: fc.record({
      do: fc.constant('move' as const),
      path: fc.oneof(some_path, fc.constantFrom(...directories)),
      to: fc.oneof(some_path, fc.constantFrom('a/moved', 'moved')),
    }),
  },
  { weight: 2, arbitrary: fc.constant({ do: 'scan' as const }) },
)

/**
 * Does nothing where a change is impossible: a file stands where a directory should, or nothing
 * exists.
 */
function attempt(change: () => void): void {
  try {
    change()
  } catch (error) {
    expect((error as NodeJS.ErrnoException).code).toMatch(
      /^(ENOENT|ENOTDIR|EEXIST|EISDIR|ERR_FS_EISDIR|EINVAL|ENOTEMPTY)$/,
    )
  }
}

test('property: the second scan checks exactly what changed since the first', async () => {
  const tree = Object.fromEntries(
    directories.flatMap((directory) =>
      Array.from({ length: 30 }, (_, number): [string, string] => [
        `${directory}/file ${number}.txt`,
        `${number}`,
      ]),
    ),
  )
  // All runs share one folder: a ledger costs more than a hundred scans.
  const rig = await rigOf(tree)
  onTestFinished(rig.closeLedger)
  const inside = (path: string) => join(rig.root, path)
  let known = new Map<string, string>()
  let texts = 0
  async function scan(): Promise<void> {
    const now = stateOf(rig.root)
    expect(await rig.scan()).toEqual(differing(known, now))
    known = now
  }
  await scan()
  const property = fc.asyncProperty(fc.array(act, { maxLength: 20 }), async (acts) => {
    for (const next of acts) {
      if (next.do === 'scan') await scan()
      else if (next.do === 'remove') attempt(() => rmSync(inside(next.path)))
      else if (next.do === 'write') {
        attempt(() => mkdirSync(dirname(inside(next.path)), { recursive: true }))
        attempt(() => writeFileSync(inside(next.path), `text ${++texts}`))
      } else attempt(() => renameSync(inside(next.path), inside(next.to)))
    }
    await scan()
  })
  await fc.assert(property, { numRuns: 10, endOnFailure: true })
})

test('a row that another writer changed is compared again, though the disk is unchanged', async () => {
  const rig = await rigOf(
    Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`file ${at}.txt`, 'text'])),
  )
  onTestFinished(rig.closeLedger)
  expect(await rig.scan()).toHaveLength(300)
  // The second scan finds no difference, and the third relies on that.
  for (let scans = 0; scans < 2; scans++) expect(await rig.scan()).toEqual([])
  await rig.ledger.record([{ type: 'file_ignored', folder: 'notes', path: 'file 7.txt' }])
  expect(await rig.scan()).toEqual(['file 7.txt'])
  expect(await rig.scan()).toEqual([])
})

test('a walk through a whole folder waits for its turn on the disk; one through a single directory does not wait', async () => {
  const rig = await rigOf({ 'a/1.txt': '1', 'b/2.txt': '2' })
  onTestFinished(rig.closeLedger)
  await rig.scan()
  expect(rig.acts.splice(0)).toEqual(['takes its turn on 1', 'looks', 'ends it'])
  rmSync(join(rig.root, 'a/1.txt'))
  expect(await rig.scan('a')).toEqual(['a/1.txt'])
  expect(rig.acts).toEqual(['looks'])
})

test('if the disk is swapped during the walk, no path of it is checked', async () => {
  const { scan, closeLedger } = await rigOf({ 'a.txt': 'a', 'b/c.txt': 'c' })
  expect(await scan(undefined, { device: known_device + 1n, ends: 'stopped' })).toEqual([])
  expect(await scan()).toEqual(['a.txt', 'b/c.txt'])
  await closeLedger()
})

test.each<[what: string, size: number, mtime_ns: bigint, met: number]>([
  ['the same size and time', 0, 0n, 1],
  ['a time almost 1 ms earlier', 0, -999_999n, 1],
  ['a time almost 1 ms later', 0, 999_999n, 1],
  ['a time 1 ms earlier', 0, -1_000_000n, 0],
  ['a time 1 ms later', 0, 1_000_000n, 0],
  ['another size', 1, 0n, 0],
])('a file on another disk with %s', async (_what, size, mtime_ns, met) => {
  const rig = await rigOf({ 'a.txt': 'text' })
  onTestFinished(rig.closeLedger)
  const found = factOf('notes', rig.root, 'a.txt')
  if (found.type !== 'file_settled') expect.fail()
  // A copy has another inode and another ctime.
  const stat = {
    size: found.stat.size + size,
    mtime_ns: found.stat.mtime_ns + mtime_ns,
    ctime_ns: 1n,
    inode: 1n,
  }
  await rig.ledger.record([{ ...found, stat }])
  expect(await rig.met()).toBe(met)
})
