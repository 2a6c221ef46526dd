import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { IgnoreSpec } from '../../../src/disk/scan/ignore.ts'
import { entryPath, type ScanOptions, scanFolder } from '../../../src/disk/scan/scan.ts'
import { makeTree } from '../../rig/tree.ts'
import { builtModule, runUnprivileged } from '../../rig/unprivileged.ts'

const ignore: IgnoreSpec = { include: [], exclude: [], dot_files: false }

async function scanAll(options: ScanOptions) {
  const paths: string[] = []
  const end = await scanFolder(options, (batch) => {
    for (let index = 0; index < batch.count; index += 1) paths.push(entryPath(batch, index))
  })
  return { paths, end }
}

function wideTree(directories: number, files: number): string {
  const tree: Record<string, string> = {}
  for (let d = 0; d < directories; d += 1)
    for (let f = 0; f < files; f += 1) tree[`d${d}/f${f}`] = ''
  return makeTree(tree)
}

test('a scan in the thread lists a folder as the walker does', async () => {
  const root = makeTree({ 'a/b.txt': 'one', 'a.txt': 'three', '.hidden': '', 'x.tmp': '' })
  const { paths, end } = await scanAll({ root, ignore, batch_entries: 1 })
  expect(paths).toEqual(['a.txt', 'a/b.txt'])
  expect(end).toMatchObject({ complete: true, files: 2, bytes: 8, directories: 2 })
})

test('a batch covers no more paths than its files, so that the caller compares up to its end', async () => {
  const lengths: number[][] = []
  await scanFolder({ root: wideTree(1, 7), ignore, batch_entries: 5 }, ({ count, ends, stats }) => {
    lengths.push([count, ends.length, stats.length])
  })
  expect(lengths).toEqual([
    [5, 5, 20],
    [2, 2, 8],
  ])
})

test('batches reuse a bounded number of buffers, and so does the next scan', async () => {
  const memory = new Set<ArrayBufferLike>()
  for (const root of [wideTree(10, 20), wideTree(5, 40)]) {
    const { files } = await scanFolder(
      { root, ignore, batch_entries: 5, max_ahead: 3 },
      ({ names, ends, stats }) => {
        for (const { buffer } of [names, ends, stats]) memory.add(buffer)
      },
    )
    expect(files).toBe(200)
  }
  expect(memory.size).toBe(3 * 3)
})

test('an empty folder ends the scan at once', async () => {
  expect((await scanAll({ root: makeTree(), ignore })).end).toMatchObject({
    complete: true,
    files: 0,
    directories: 1,
  })
})

test('a missing root is offline, and gives no batch', async () => {
  const scan = scanFolder({ root: join(makeTree(), 'none'), ignore }, () => {
    throw new Error('there is no batch')
  })
  await expect(scan).rejects.toMatchObject({ code: 'disk.offline' })
})

test('a scan ends with the error of its batch function', async () => {
  const scan = scanFolder({ root: wideTree(2, 10), ignore, batch_entries: 5 }, async () => {
    throw new Error('not taken')
  })
  await expect(scan).rejects.toThrow('not taken')
})

test.each(['../x', 'a/../..', '/etc', 'a//b', 'a/'])(
  'a path that is not below the folder is refused: %s',
  async (under) => {
    await expect(scanAll({ root: '/tmp', ignore, under })).rejects.toThrow('not a path below')
  },
)

describe('stopping', () => {
  test('an abort ends a scan within some batches, incomplete, and keeps what was handed over', async () => {
    const root = wideTree(60, 100)
    const abort = new AbortController()
    let seen = 0
    const end = await scanFolder(
      { root, ignore, batch_entries: 10, signal: abort.signal },
      (batch) => {
        seen += batch.count
        if (seen >= 100) abort.abort()
      },
    )
    expect(end).toMatchObject({ complete: false, files: seen })
    // The folder has 6,000 files. The thread is four batches of ten ahead, and may have begun the
    // next ones.
    expect(seen).toBeLessThan(300)
  })

  test('an abort ends a scan that waits for a batch function', async () => {
    const root = wideTree(60, 100)
    const abort = new AbortController()
    const scan = scanAll({ root, ignore, batch_entries: 1_000_000, signal: abort.signal })
    abort.abort()
    expect(await scan).toMatchObject({ paths: [], end: { complete: false, files: 0 } })
  })

  test('a scan that is aborted before its start does not start', async () => {
    const { end } = await scanAll({ root: '/nowhere', ignore, signal: AbortSignal.abort() })
    expect(end.complete).toBe(false)
  })

  test('the batch function can stop the scan', async () => {
    const counts: number[] = []
    const end = await scanFolder(
      { root: wideTree(2, 10), ignore, batch_entries: 5 },
      async ({ count }, stop) => {
        counts.push(count)
        stop()
      },
    )
    expect(counts).toEqual([5])
    expect(end).toMatchObject({ complete: false, files: 5 })
  })
})

/** This runs in a child process, because permission bits do not bind root. */
const scan_script = `
  import { entryPath, scanFolder } from '${builtModule('disk/scan/scan')}'
  const ignore = { include: [], exclude: [], dot_files: false }
  const paths = []
  const end = await scanFolder({ root: process.argv[2], ignore }, (batch) => {
    for (let i = 0; i < batch.count; i++) paths.push(entryPath(batch, i))
  })
  console.log(JSON.stringify({ paths, end }))`

test('a directory that cannot be read is named, and the others are listed', () => {
  const root = makeTree({ 'a.txt': '', 'locked/b.txt': '', 'no-entry/c.txt': '', 'z/d.txt': '' })
  chmodSync(root, 0o755)
  chmodSync(join(root, 'z'), 0o755)
  chmodSync(join(root, 'locked'), 0o000)
  chmodSync(join(root, 'no-entry'), 0o644)
  const { paths, end } = runUnprivileged(scan_script, root) as Awaited<ReturnType<typeof scanAll>>
  chmodSync(join(root, 'locked'), 0o755)
  chmodSync(join(root, 'no-entry'), 0o755)
  expect(paths).toEqual(['a.txt', 'z/d.txt'])
  expect(end).toMatchObject({
    complete: true,
    unreadable: [
      { path: 'locked', code: 'EACCES' },
      { path: 'no-entry/c.txt', code: 'EACCES' },
    ],
    unreadable_total: 2,
  })
})
