import { mkdirSync, renameSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { identifiedRoot, type OnlineRoot } from '../../../src/disk/root/root.ts'
import { impatient, startRootAsker } from '../../../src/disk/root/root-asker.ts'
import { makeTree } from '../../rig/tree.ts'
import { realWait } from '../../rig/waiting.ts'
import { mountUnresponsive } from '../unresponsive-mount.ts'

const ample_ms = 20_000

test('the answers are those of identifiedRoot, for many roots at once', async () => {
  const roots = startRootAsker(system_clock)
  onTestFinished(() => roots.close())
  const places = [makeTree({ a: 'a' }), makeTree(), '/proc', '/no/such/place']
  const asked = await Promise.all(places.map((place) => roots.status(place, ample_ms)))
  expect(asked).toEqual(places.map((place) => identifiedRoot(place)))
  expect(await roots.status(places[0]!, ample_ms)).toEqual(asked[0])
})

test('an unresponsive mount is offline in time, delays no others, and can be online again', async ({
  skip,
}) => {
  const slow: string[] = []
  const roots = startRootAsker(system_clock, (root) => slow.push(root))
  onTestFinished(() => roots.close())
  const silent = makeTree({ a: 'a' })
  const unmount = mountUnresponsive(silent)
  if (!unmount)
    return skip('only root can mount an unresponsive file system, and only where there is FUSE')
  const no_answer = {
    kind: 'offline',
    reason: 'no answer',
    detail: expect.stringContaining('does not answer'),
  }
  const first = roots.status(silent, 300)
  expect(await roots.status(makeTree({ b: 'b' }), ample_ms)).toMatchObject({
    kind: 'online',
    empty: false,
  })
  expect(await first).toEqual(no_answer)
  // The second call neither waits nor asks the mount again.
  const began_ms = performance.now()
  expect(await roots.status(silent, 300)).toEqual(no_answer)
  expect(performance.now() - began_ms).toBeLessThan(300)
  const { limitOf } = impatient({ roots, answer_ms: 10_000 })
  expect([silent, tmpdir()].map((root) => limitOf?.(root))).toEqual([2_000, 10_000])
  // A caller with more patience does wait.
  const patient = roots.status(silent, ample_ms)
  await expect.poll(() => slow, { timeout: ample_ms }).toEqual([silent])
  unmount()
  expect(await patient).not.toEqual(no_answer)
  await expect
    .poll(() => roots.status(silent, ample_ms), { timeout: ample_ms })
    .toMatchObject({ kind: 'online' })
})

test('a doubtful root is answered by a check that began after the question', async () => {
  const roots = startRootAsker(system_clock)
  onTestFinished(() => roots.close())
  const here = join(makeTree({ 'here/': '' }), 'here')
  const ask = async () => (await roots.status(here, ample_ms, { doubtful: true })) as OnlineRoot
  await ask()
  for (let swap = 0; swap < 40; swap += 1) {
    const under_way = ask()
    // By now the thread has read the root's status, and asks for the id.
    await realWait('a moment of a thread', swap / 8)
    renameSync(here, `${here}-${swap}`)
    mkdirSync(here)
    const expected = statSync(here, { bigint: true }).ino
    expect((await ask()).inode).toBe(expected)
    await under_way
  }
})

test('a question after the end is refused and starts no thread', async () => {
  const roots = startRootAsker(system_clock)
  await roots.close()
  await expect(roots.status(makeTree({ a: 'a' }), ample_ms)).rejects.toMatchObject({
    code: 'thread.ended',
  })
})
