import { lstatSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { startExaminer } from '../../../src/disk/read/examiner.ts'
import { startRootAsker } from '../../../src/disk/root/root-asker.ts'
import { makeTree } from '../../rig/tree.ts'
import { mountUnresponsive } from '../unresponsive-mount.ts'

const ample_ms = 20_000

function startBoth({ answer_ms }: { answer_ms: number }) {
  const roots = startRootAsker(system_clock)
  const examiner = startExaminer({ threads: 2, silence: { roots, answer_ms } })
  onTestFinished(async () => {
    await examiner.close()
    await roots.close()
  })
  return examiner
}

function entry(root: string, path: string) {
  const { size, mtimeNs: mtime_ns, ctimeNs: ctime_ns, ino: inode } = lstatSync(join(root, path), { bigint: true })
  return { path, stat: { size: Number(size), mtime_ns, ctime_ns, inode } }
}

test('who reads from a dead share is told that it is away, and nobody else waits', async ({ skip }) => {
  const examiner = startBoth({ answer_ms: 2_000 })
  const paths = Array.from({ length: 1_000 }, (_, at) => `${at}.txt`)
  const dead = makeTree({ ...Object.fromEntries(paths.map((path) => [path, path])), 'huge.bin': { bytes: 50_000_000 } })
  const alive = makeTree({ 'a.txt': 'a', 'large.bin': { bytes: 50_000_000 } })
  const [huge, large] = [entry(dead, 'huge.bin'), entry(alive, 'large.bin')]
  const unmount = mountUnresponsive(dead)
  if (!unmount) return skip('a file system that nobody serves can be mounted by root alone, where there is FUSE')
  const lstats = expect(examiner.lstat(dead, paths)).rejects.toMatchObject({ code: 'disk.offline' })
  const hashes = expect(examiner.fingerprint(dead, [huge, huge])).rejects.toMatchObject({ code: 'disk.offline' })
  expect(await examiner.lstat(alive, ['a.txt'])).toMatchObject([{ kind: 'file' }])
  expect(await examiner.fingerprint(alive, [large])).toMatchObject([{ kind: 'hashed' }])
  await Promise.all([lstats, hashes])
  await expect(examiner.lstat(dead, paths)).rejects.toMatchObject({ code: 'disk.offline' })
  unmount()
  await expect
    .poll(() => examiner.lstat(dead, ['1.txt']).catch(() => []), { timeout: ample_ms })
    .toMatchObject([{ kind: 'file' }])
})

test('a root that answers is waited for, however long its files take', async () => {
  const examiner = startBoth({ answer_ms: 1_000 })
  const root = makeTree({ 'huge.bin': { bytes: 1_000_000_000 } })
  expect(await examiner.fingerprint(root, [entry(root, 'huge.bin')])).toMatchObject([{ kind: 'hashed' }])
})
