import { chmodSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import type { IgnoreSpec } from '../../../src/disk/scan/ignore.ts'
import { entryPath, type ScanOptions, scanFolder } from '../../../src/disk/scan/scan.ts'
import { makeTree } from '../../rig/tree.ts'
import { builtModule, runUnprivileged } from '../../rig/unprivileged.ts'

const ignore: IgnoreSpec = { include: [], exclude: [], dot_files: false }

async function scanAll(options: ScanOptions) {
  const { batches, end } = scanFolder(options)
  const paths: string[] = []
  for await (const batch of batches)
    for (let index = 0; index < batch.count; index += 1) paths.push(entryPath(batch, index))
  return { paths, end: await end }
}

function wideTree(directories: number, files: number): string {
  const tree: Record<string, string> = {}
  for (let d = 0; d < directories; d += 1) for (let f = 0; f < files; f += 1) tree[`d${d}/f${f}`] = ''
  return makeTree(tree)
}

test('a folder comes through the thread as the walker lists it', async () => {
  const root = makeTree({ 'a/b.txt': 'one', 'a.txt': 'three', '.hidden': '', 'x.tmp': '' })
  const { paths, end } = await scanAll({ root, ignore, batch_entries: 1 })
  expect(paths).toEqual(['a.txt', 'a/b.txt'])
  expect(end).toMatchObject({ complete: true, files: 2, bytes: 8, directories: 2 })
})

test('a batch is no longer than its files: whoever compares it with a ledger reads on to its end', async () => {
  const { batches } = scanFolder({ root: wideTree(1, 7), ignore, batch_entries: 5 })
  const lengths: number[][] = []
  for await (const { count, ends, stats } of batches) lengths.push([count, ends.length, stats.length])
  expect(lengths).toEqual([
    [5, 5, 20],
    [2, 2, 8],
  ])
})

test('batches go round in as much memory as those have that may be ahead, and so do those of the next scan', async () => {
  const memory = new Set<ArrayBufferLike>()
  for (const root of [wideTree(10, 20), wideTree(5, 40)]) {
    const { batches, end } = scanFolder({ root, ignore, batch_entries: 5, max_ahead: 3 })
    for await (const { names, ends, stats } of batches)
      for (const { buffer } of [names, ends, stats]) memory.add(buffer)
    expect((await end).files).toBe(200)
  }
  expect(memory.size).toBe(3 * 3)
})

test('an empty folder ends at once', async () => {
  expect((await scanAll({ root: makeTree(), ignore })).end).toMatchObject({ complete: true, files: 0, directories: 1 })
})

test('a missing root is offline, for who reads the batches and for who awaits the end', async () => {
  const { batches, end } = scanFolder({ root: join(makeTree(), 'none'), ignore })
  const read = async () => {
    for await (const _ of batches) throw new Error('there is no batch')
  }
  await expect(read()).rejects.toMatchObject({ code: 'disk.offline' })
  await expect(end).rejects.toMatchObject({ code: 'disk.offline' })
})

test.each(['../x', 'a/../..', '/etc', 'a//b', 'a/'])('a path that is not below the folder is refused: %s', (under) => {
  expect(() => scanFolder({ root: '/tmp', ignore, under })).toThrow('not a path below')
})

describe('stopping', () => {
  test('an abort ends a scan within some batches, incomplete, with what was handed over', async () => {
    const root = wideTree(60, 100)
    const abort = new AbortController()
    const { batches, end } = scanFolder({ root, ignore, batch_entries: 10, signal: abort.signal })
    let seen = 0
    for await (const batch of batches) {
      seen += batch.count
      if (seen >= 100) abort.abort()
    }
    expect(await end).toMatchObject({ complete: false, files: seen })
    // Of 6,000 files: the thread is four batches of ten ahead, and may have begun on the next ones.
    expect(seen).toBeLessThan(300)
  })

  test('an abort is heard while a batch is awaited', async () => {
    const root = wideTree(60, 100)
    const abort = new AbortController()
    const { batches, end } = scanFolder({ root, ignore, batch_entries: 1_000_000, signal: abort.signal })
    const reading = scanIterator(batches).next()
    abort.abort()
    expect((await reading).done).toBe(true)
    expect(await end).toMatchObject({ complete: false, files: 0 })
  })

  test('one that is aborted before it starts does not start', async () => {
    const { end } = await scanAll({ root: '/nowhere', ignore, signal: AbortSignal.abort() })
    expect(end.complete).toBe(false)
  })

  test('leaving the loop ends it too', async () => {
    const { batches, end } = scanFolder({ root: wideTree(2, 10), ignore, batch_entries: 5 })
    for await (const batch of batches) {
      expect(batch.count).toBe(5)
      break
    }
    expect(await end).toMatchObject({ complete: false, files: 5 })
  })
})

function scanIterator<T>(iterable: AsyncIterable<T>): AsyncIterator<T> {
  return iterable[Symbol.asyncIterator]()
}

/** Run in a child process: root is not bound by permission bits. */
const scan_script = `
  import { entryPath, scanFolder } from '${builtModule('disk/scan/scan')}'
  const ignore = { include: [], exclude: [], dot_files: false }
  const { batches, end } = scanFolder({ root: process.argv[2], ignore })
  const paths = []
  for await (const batch of batches) for (let i = 0; i < batch.count; i++) paths.push(entryPath(batch, i))
  console.log(JSON.stringify({ paths, end: await end }))`

test('a directory that cannot be read is named, and the rest comes', () => {
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
