import { execFileSync } from 'node:child_process'
import { chmodSync, lstatSync, readFileSync, renameSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { hour_ms } from '../../../src/base/time/time.ts'
import { createSmallHasher } from '../../../src/disk/scan/measure.ts'
import { entryMd5, entryPath, type HashRule, scanFolder } from '../../../src/disk/scan/scan.ts'
import { md5Of } from '../../journeys/rig/disk-truth.ts'
import { makeTree, type TreeEntry } from '../../rig/tree.ts'

const everything = { include: [], exclude: [], dot_files: true }
const rule: HashRule = {
  quiet_before_ns: BigInt(Date.now() + hour_ms) * 1_000_000n,
  folder: { name: 'docs', max_file_bytes: 1_000, start: { kind: 'all' } },
}

async function md5sOf(
  root: string,
  hashing: { rule: HashRule; isWanted(): boolean },
): Promise<Record<string, string | undefined>> {
  const md5s: Record<string, string | undefined> = {}
  await scanFolder({ root, ignore: everything, hashing, batch_entries: 64 }, (batch) => {
    for (let index = 0; index < batch.count; index += 1)
      md5s[entryPath(batch, index)] = entryMd5(batch, index)
  })
  return md5s
}

test('a walk hashes small files and leaves large ones to the examiner', async () => {
  const tree: Record<string, TreeEntry> = {
    'deep/er/a.txt': 'a',
    'deep/b.txt': 'b'.repeat(1_000),
    'large.txt': 'l'.repeat(1_001),
    'empty.txt': '',
    'names/ä\u0301\n.txt': 'odd',
    'z.txt': 'z',
  }
  const root = makeTree(tree)
  expect(await md5sOf(root, { rule, isWanted: () => true })).toEqual({
    'deep/er/a.txt': md5Of('a'),
    'deep/b.txt': md5Of('b'.repeat(1_000)),
    'large.txt': undefined,
    'empty.txt': undefined,
    'names/ä\u0301\n.txt': md5Of('odd'),
    'z.txt': md5Of('z'),
  })
})

test('a walk hashes no file that is not small or that `start` decides about', async () => {
  const root = makeTree({ 'small.txt': { bytes: 262_144 }, 'larger.txt': { bytes: 262_145 } })
  const read = async (start: HashRule['folder']['start']) => {
    const folder = { name: 'docs', max_file_bytes: 1_000_000, start }
    const md5s = await md5sOf(root, { rule: { ...rule, folder }, isWanted: () => true })
    return Object.keys(md5s).filter((path) => md5s[path] !== undefined)
  }
  expect(await read({ kind: 'all' })).toEqual(['small.txt'])
  expect(await read({ kind: 'from_now' })).toEqual([])
})

test('a walk hashes no file that is not wanted, and none that may still be written to', async () => {
  const root = makeTree({ 'a.txt': 'a' })
  expect(await md5sOf(root, { rule, isWanted: () => false })).toEqual({ 'a.txt': undefined })
  const { mtimeNs, ctimeNs } = lstatSync(join(root, 'a.txt'), { bigint: true })
  const newest_ns = mtimeNs > ctimeNs ? mtimeNs : ctimeNs
  const at = (quiet_before_ns: bigint) =>
    md5sOf(root, { rule: { ...rule, quiet_before_ns }, isWanted: () => true })
  expect(await at(newest_ns - 1n)).toEqual({ 'a.txt': undefined })
  expect(await at(newest_ns)).toEqual({ 'a.txt': md5Of('a') })
})

test('links, pipes, directories, locked and missing files are neither hashed nor followed, and block nothing', () => {
  const root = makeTree({ 'inside/a.txt': 'a', 'locked.txt': 'locked', 'dir/': '' })
  const outside = makeTree({ 'a.txt': 'secret' })
  symlinkSync(join(outside, 'a.txt'), join(root, 'link.txt'))
  execFileSync('mkfifo', [join(root, 'pipe')])
  chmodSync(join(root, 'locked.txt'), 0)
  renameSync(join(root, 'inside'), join(root, 'moved'))
  symlinkSync(outside, join(root, 'inside'))
  const hasher = createSmallHasher(root, rule)
  const stats = new BigInt64Array(4)
  for (const path of ['link.txt', 'pipe', 'dir', 'gone.txt', 'inside/a.txt']) {
    expect(hasher.hash(path, stats, 0), path).toBeUndefined()
  }
  // Root can read a locked file as well.
  const may_read = process.getuid?.() === 0
  const md5 = may_read ? md5Of(readFileSync(join(root, 'locked.txt'))) : undefined
  expect(hasher.hash('locked.txt', stats, 0)).toBe(md5)
  hasher.rest()
})
