import { mkdirSync, renameSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { system_clock } from '../../../src/base/time/time.ts'
import { identifiedRoot, type OnlineRoot } from '../../../src/disk/root/root.ts'
import { startRootAsker } from '../../../src/disk/root/root-asker.ts'
import { makeTree } from '../../rig/tree.ts'
import { realWait } from '../../rig/waiting.ts'
import { mountUnresponsive } from '../unresponsive-mount.ts'

const ample_ms = 20_000

test('the answer is that of identifiedRoot, for many at once', async () => {
  const roots = startRootAsker(system_clock)
  onTestFinished(() => roots.close())
  const places = [makeTree({ a: 'a' }), makeTree(), '/proc', '/no/such/place']
  const asked = await Promise.all(places.map((place) => roots.status(place, ample_ms)))
  expect(asked).toEqual(places.map((place) => identifiedRoot(place)))
  expect(await roots.status(places[0]!, ample_ms)).toEqual(asked[0])
})

test('a dead share is offline within the time, holds up nobody, and is there again when it is', async ({ skip }) => {
  const roots = startRootAsker(system_clock)
  onTestFinished(() => roots.close())
  const dead = makeTree({ a: 'a' })
  const unmount = mountUnresponsive(dead)
  if (!unmount) return skip('a file system that nobody serves can be mounted by root alone, where there is FUSE')
  const no_answer = { kind: 'offline', reason: 'no answer', detail: expect.stringContaining('does not answer') }
  const first = roots.status(dead, 300)
  expect(await roots.status(makeTree({ b: 'b' }), ample_ms)).toMatchObject({ kind: 'online', empty: false })
  expect(await first).toEqual(no_answer)
  // It is not waited for again, nor asked again.
  expect(await roots.status(dead, ample_ms)).toEqual(no_answer)
  unmount()
  await expect.poll(() => roots.status(dead, ample_ms), { timeout: ample_ms }).toMatchObject({ kind: 'online' })
})

test('a doubt is answered by a look that began after it', async () => {
  const roots = startRootAsker(system_clock)
  onTestFinished(() => roots.close())
  const here = join(makeTree({ 'here/': '' }), 'here')
  const ask = async () => (await roots.status(here, ample_ms, { doubtful: true })) as OnlineRoot
  await ask()
  for (let swap = 0; swap < 40; swap += 1) {
    const under_way = ask()
    // Its thread has looked at the root by now, and asks for the id.
    await realWait('a moment of a thread', swap / 8)
    renameSync(here, `${here}-${swap}`)
    mkdirSync(here)
    const expected = statSync(here, { bigint: true }).ino
    expect((await ask()).inode).toBe(expected)
    await under_way
  }
})

test('who asks after the end is refused, and begins no thread that nobody would end', async () => {
  const roots = startRootAsker(system_clock)
  await roots.close()
  await expect(roots.status(makeTree({ a: 'a' }), ample_ms)).rejects.toMatchObject({ code: 'thread.ended' })
})
