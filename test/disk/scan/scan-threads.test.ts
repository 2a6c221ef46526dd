import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import type { Worker } from 'node:worker_threads'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { IgnoreSpec } from '../../../src/disk/scan/ignore.ts'
import { entryPath, scanFolder } from '../../../src/disk/scan/scan.ts'
import {
  type KeptScanThread,
  keepScanThread,
  kept_watching_ms,
} from '../../../src/disk/scan/scan-threads.ts'
import { MovingClock } from '../../rig/moving-clock.ts'
import { makeTree } from '../../rig/tree.ts'
import { until } from '../../rig/waiting.ts'

const ignore: IgnoreSpec = { include: [], exclude: [], dot_files: false }
const alive = new Set<Worker>()
let started = 0
const note = (message: unknown) => {
  const { worker } = message as { worker: Worker }
  started += 1
  alive.add(worker)
  worker.once('exit', () => alive.delete(worker))
}
let clock: MovingClock
let threads: KeptScanThread

beforeEach(() => {
  subscribe('worker_threads', note)
  started = 0
  clock = new MovingClock()
  threads = keepScanThread(clock, kept_watching_ms)
})

afterEach(async () => {
  await threads.close()
  unsubscribe('worker_threads', note)
})

async function pathsIn(root: string, under = ''): Promise<string[]> {
  const paths: string[] = []
  const end = await scanFolder({ root, under, ignore, batch_entries: 2, threads }, (batch) => {
    for (let at = 0; at < batch.count; at += 1) paths.push(entryPath(batch, at))
  })
  expect(end).toMatchObject({ complete: true, files: paths.length })
  return paths
}

test('walks one after another share one thread, and each sees its own folder', async () => {
  const root = makeTree({ 'a.txt': '', 'b/c.txt': '', 'b/d.txt': '', 'b/e/f.txt': '', 'g.txt': '' })
  expect(await pathsIn(root)).toEqual(['a.txt', 'b/c.txt', 'b/d.txt', 'b/e/f.txt', 'g.txt'])
  expect(await pathsIn(root, 'b')).toEqual(['b/c.txt', 'b/d.txt', 'b/e/f.txt'])
  expect(await pathsIn(makeTree({ 'other.txt': '' }))).toEqual(['other.txt'])
  expect(started).toBe(1)
  // Two walks at once need two threads; one of them is kept.
  await Promise.all([pathsIn(root), pathsIn(root, 'b')])
  expect(started).toBe(2)
  await until('one is kept', () => alive.size === 1)
})

test('a walk that is stopped or fails ends its thread', async () => {
  const root = makeTree({ 'a.txt': '', 'b.txt': '', 'c.txt': '', 'd.txt': '' })
  await scanFolder({ root, ignore, batch_entries: 2, threads }, (_batch, stop) => stop())
  await until('it has ended', () => alive.size === 0)
  await expect(pathsIn(`${root}/none`)).rejects.toMatchObject({ code: 'disk.offline' })
  await until('it has ended', () => alive.size === 0)
  expect(await pathsIn(root)).toHaveLength(4)
  expect(started).toBe(3)
})

test('a thread is kept for some seconds between scans, and not longer', async () => {
  const root = makeTree({ 'a.txt': '' })
  await pathsIn(root)
  clock.skip(9_000)
  await pathsIn(root)
  expect(started).toBe(1)
  clock.skip(9_000)
  expect(alive.size).toBe(1)
  clock.skip(2_000)
  await until('it has ended', () => alive.size === 0)
  expect(await pathsIn(root)).toEqual(['a.txt'])
  expect(started).toBe(2)
})
