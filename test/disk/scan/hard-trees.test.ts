import { execFileSync } from 'node:child_process'
import { linkSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { isMadeUp } from '../../../src/disk/root/filesystems.ts'
import { measureBatch } from '../../../src/disk/scan/measure.ts'
import { entryPath, entryStat, type ScanOptions, scanFolder } from '../../../src/disk/scan/scan.ts'
import {
  type BatchRoom,
  batchIn,
  createBatchBuilder,
  createBatchRoom,
  putListed,
} from '../../../src/disk/scan/scan-batch.ts'
import { makeTree } from '../../rig/tree.ts'

const ignore = { include: [], exclude: [], dot_files: false }

async function scanAll(root: string, options: Partial<ScanOptions> = {}) {
  const found = new Map<string, bigint>()
  const digests: string[] = []
  const end = await scanFolder({ root, ignore, ...options }, (batch) => {
    digests.push(batch.digest)
    for (let index = 0; index < batch.count; index += 1)
      found.set(entryPath(batch, index), entryStat(batch, index).inode)
  })
  return { paths: [...found.keys()], found, digests, end }
}

function roomWith(...paths: string[]): BatchRoom {
  const names = paths.map((path) => Buffer.from(path))
  let end = 0
  const ends = Uint32Array.from(names, ({ length }) => (end += length))
  const room = createBatchRoom(paths.length)
  putListed(room, { count: paths.length, names: Buffer.concat(names), ends })
  return room
}

test('a file that is replaced after it was listed is measured as its replacement, and its neighbours stay', () => {
  const root = makeTree({ a: '1', b: '22', c: '333', d: '4444', e: '55555', f: '666666' })
  const room = roomWith('a', 'b', 'c', 'd', 'e', 'f')
  for (const name of ['a', 'b', 'd', 'e']) rmSync(join(root, name))
  symlinkSync('/etc/hostname', join(root, 'a'))
  mkdirSync(join(root, 'b'))
  writeFileSync(join(root, 'e'), 'another one')
  const { total, ...measured } = measureBatch(room, 6, {
    root,
    keeps_inodes: true,
    progressed: () => {},
  })
  const batch = batchIn(room, measured)
  const sizes = Array.from({ length: batch.count }, (_, at) => [
    entryPath(batch, at),
    entryStat(batch, at).size,
  ])
  expect(sizes).toEqual([
    ['c', 3],
    ['e', 11],
    ['f', 6],
  ])
  expect(total).toMatchObject({
    files: 3,
    bytes: 20,
    special: [{ kind: 'symlink', count: 1 }],
    unreadable_total: 0,
  })
})

test('hard links are separate files with one inode', async () => {
  const root = makeTree({ 'a.txt': 'text', 'sub/': '' })
  linkSync(join(root, 'a.txt'), join(root, 'sub/b.txt'))
  const { found } = await scanAll(root)
  expect([...found.keys()]).toEqual(['a.txt', 'sub/b.txt'])
  expect(found.get('a.txt')).toBe(found.get('sub/b.txt'))
})

test('composed and decomposed forms of a name are separate files', async () => {
  const names = ['caf\u0065\u0301.txt', 'caf\u00e9.txt']
  const root = makeTree(Object.fromEntries(names.map((name) => [name, name])))
  expect((await scanAll(root)).paths).toEqual(names)
})

test('a batch of long paths ends early and fits into its buffer', () => {
  const builder = createBatchBuilder(60)
  const room = createBatchRoom(60)
  const counts: number[] = []
  for (const length of [...Array<number>(18).fill(4_351), ...Array<number>(120).fill(90)]) {
    builder.add('n'.repeat(length))
    if (!builder.is_full) continue
    const batch = builder.take()
    putListed(room, batch)
    counts.push(batch.count)
  }
  expect(counts).toEqual([16, 60, 60])
})

test('finds a file 200 directories deep', async () => {
  const path = `${'d/'.repeat(200)}file.txt`
  expect((await scanAll(makeTree({ [path]: 'text' }))).paths).toEqual([path])
})

test('a path too long for the system is reported, and all others are found', async () => {
  const root = makeTree({ 'a.txt': '', 'z.txt': '' })
  const name = 'n'.repeat(250)
  // 17 times 251 bytes and more: beyond PATH_MAX, which is 4,096 with the root.
  const deep = `for i in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17; do mkdir -p ${name} && cd -P ${name} || exit 1; touch f; done`
  execFileSync('bash', ['-c', deep], { cwd: root })
  const { paths, end } = await scanAll(root)
  expect(paths.at(0)).toBe('a.txt')
  expect(paths.at(-1)).toBe('z.txt')
  expect(paths.length).toBeGreaterThan(2 + 14)
  expect(end.complete).toBe(true)
  expect(end.unreadable_total).toBeGreaterThan(0)
  expect(end.unreadable.every(({ code }) => code === 'ENAMETOOLONG')).toBe(true)
  execFileSync('rm', ['-rf', join(root, name)])
})

test('a new file changes only the digests near it', async () => {
  const tree = Object.fromEntries(
    Array.from({ length: 3_000 }, (_, at) => [`d${at % 30}/file ${at}.txt`, '']),
  )
  const root = makeTree(tree)
  const before = await scanAll(root, { batch_entries: 200 })
  expect((await scanAll(root, { batch_entries: 200 })).digests).toEqual(before.digests)
  expect(before.digests.length).toBeGreaterThan(15)
  writeFileSync(join(root, 'd15/and one more.txt'), '')
  const after = new Set((await scanAll(root, { batch_entries: 200 })).digests)
  expect(before.digests.filter((digest) => !after.has(digest)).length).toBeLessThan(6)
})

test('an abort ends a scan within 200 ms, also in a directory of many files', async () => {
  const root = makeTree(
    Object.fromEntries(Array.from({ length: 5_000 }, (_, at) => [`file ${at}.txt`, ''])),
  )
  const took_ms: number[] = []
  // Another program may keep the machine busy for a moment.
  for (let tries = 0; tries < 5 && !took_ms.some((ms) => ms < 200); tries += 1) {
    const abort = new AbortController()
    const end = await scanFolder({ root, ignore, batch_entries: 100, signal: abort.signal }, () => {
      if (abort.signal.aborted) return
      took_ms[tries] = performance.now()
      abort.abort()
    })
    expect(end.complete).toBe(false)
    took_ms[tries] = performance.now() - took_ms[tries]!
  }
  expect(Math.min(...took_ms)).toBeLessThan(200)
})

test('filesystems that invent inode numbers are known', () => {
  const magic = {
    ext4: 0xef53,
    xfs: 0x58465342,
    btrfs: 0x9123683e,
    nfs: 0x6969,
    vfat: 0x4d44,
    exfat: 0x2011bab0,
  }
  const smb = 0xff534d42
  expect(
    Object.entries(magic).flatMap(([name, number]) => (isMadeUp(number) ? [name] : [])),
  ).toEqual(['vfat', 'exfat'])
  // Some systems report the type with a sign.
  expect([smb, smb | 0].map(isMadeUp)).toEqual([true, true])
})
