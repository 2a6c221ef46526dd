import { statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { Heartbeats } from '../../../src/base/run/heartbeat.ts'
import { startExaminer } from '../../../src/disk/read/examiner.ts'
import { scanFolder } from '../../../src/disk/scan/scan.ts'
import { makeTree } from '../../rig/tree.ts'
import { realWait } from '../../rig/waiting.ts'

/** The view of a watchdog: the counters of work in progress, and how often any work has begun. */
function watched() {
  const progress = new Set<() => number>()
  const names: string[] = []
  const heartbeats: Heartbeats = {
    begin(name, read = () => 0) {
      names.push(name)
      progress.add(read)
      return { beat() {}, end: () => void progress.delete(read), during: (waited) => waited }
    },
    stuck: () => [],
  }
  return {
    heartbeats,
    names,
    seen: () => [...progress].reduce((sum, read) => sum + read(), 0),
    living: () => progress.size,
  }
}

test('hashing a huge file moves its counter, and ends it', async () => {
  const { heartbeats, seen, living } = watched()
  const root = makeTree({ 'huge.bin': { bytes: 200_000_000 } })
  const { size, mtimeNs, ctimeNs, ino } = statSync(join(root, 'huge.bin'), { bigint: true })
  const stat = { size: Number(size), mtime_ns: mtimeNs, ctime_ns: ctimeNs, inode: ino }
  const examiner = startExaminer({ threads: 1, heartbeats })
  try {
    const hashed = examiner.fingerprint(root, [{ path: 'huge.bin', stat }])
    let is_over = false
    void hashed.finally(() => {
      is_over = true
    })
    const counts = new Set<number>()
    while (!is_over) {
      counts.add(seen())
      await realWait('a moment of a thread', 5)
    }
    expect(await hashed).toMatchObject([{ kind: 'hashed' }])
    expect(counts.size).toBeGreaterThan(4)
    expect(living()).toBe(0)
  } finally {
    await examiner.close()
  }
})

test('a walk counts ignored files too, and has no heartbeat while its caller is busy', async () => {
  const { heartbeats, names, living } = watched()
  let max = 0
  const counting: Heartbeats = {
    ...heartbeats,
    begin(name, read = () => 0) {
      const heartbeat = heartbeats.begin(name, read)
      function end(): void {
        max = Math.max(max, read())
        heartbeat.end()
      }
      return { ...heartbeat, end }
    },
  }
  const tree = Object.fromEntries(Array.from({ length: 300 }, (_, at) => [`${at}.tmp`, 'x']))
  const root = makeTree({ ...tree, 'sent.txt': 'x' })
  const ignore = { include: [], exclude: ['*.tmp'], dot_files: true }
  const living_meanwhile: number[] = []
  const end = await scanFolder(
    { root, ignore, heartbeats: counting },
    () => void living_meanwhile.push(living()),
  )
  expect(end).toMatchObject({ complete: true, files: 1 })
  expect(living_meanwhile).toEqual([0])
  expect(max).toBeGreaterThanOrEqual(300)
  expect(names).toContain(`walk through ${root}`)
})
