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
  const {
    size,
    mtimeNs: mtime_ns,
    ctimeNs: ctime_ns,
    ino: inode,
  } = lstatSync(join(root, path), { bigint: true })
  return { path, stat: { size: Number(size), mtime_ns, ctime_ns, inode } }
}

test('a read from an unresponsive mount fails as offline, and other reads do not wait', async ({
  skip,
}) => {
  const examiner = startBoth({ answer_ms: 2_000 })
  const paths = Array.from({ length: 1_000 }, (_, at) => `${at}.txt`)
  const silent = makeTree({
    ...Object.fromEntries(paths.map((path) => [path, path])),
    'huge.bin': { bytes: 50_000_000 },
  })
  const alive = makeTree({ 'a.txt': 'a', 'large.bin': { bytes: 50_000_000 } })
  const [huge, large] = [entry(silent, 'huge.bin'), entry(alive, 'large.bin')]
  const unmount = mountUnresponsive(silent)
  if (!unmount)
    return skip('only root can mount an unresponsive file system, and only where there is FUSE')
  const lstats = expect(examiner.lstat(silent, paths)).rejects.toMatchObject({
    code: 'disk.offline',
  })
  const hashes = expect(examiner.fingerprint(silent, [huge, huge])).rejects.toMatchObject({
    code: 'disk.offline',
  })
  expect(await examiner.lstat(alive, ['a.txt'])).toMatchObject([{ kind: 'file' }])
  expect(await examiner.fingerprint(alive, [large])).toMatchObject([{ kind: 'hashed' }])
  await Promise.all([lstats, hashes])
  await expect(examiner.lstat(silent, paths)).rejects.toMatchObject({ code: 'disk.offline' })
  unmount()
  await expect
    .poll(() => examiner.lstat(silent, ['1.txt']).catch(() => []), { timeout: ample_ms })
    .toMatchObject([{ kind: 'file' }])
})

test('a read waits for a root that answers, however long its files take', async () => {
  const examiner = startBoth({ answer_ms: 1_000 })
  const root = makeTree({ 'huge.bin': { bytes: 1_000_000_000 } })
  expect(await examiner.fingerprint(root, [entry(root, 'huge.bin')])).toMatchObject([
    { kind: 'hashed' },
  ])
})
