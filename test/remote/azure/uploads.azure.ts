import { createHash } from 'node:crypto'
import { closeSync, ftruncateSync, openSync, statfsSync, writeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { second_ms, system_clock } from '../../../src/base/time/time.ts'
import { makeTree } from '../../rig/tree.ts'
import type { WireTicket } from './fixture-api.ts'
import { World } from './world.ts'

const world = World.forThisFile()
const gib = 1024 ** 3
/** The store keeps one copy on the disk. */
const min_free_bytes = 3 * gib

describe('from a folder into a real object store', { timeout: 60_000 }, () => {
  test('each file, small and large, is stored with its bytes, its md5 and its type', async () => {
    const tree: Record<string, string> = {
      'one byte.txt': '1',
      'Überschrift & Größe #1.md': '# Ü\n',
      'deep/er/table.csv': 'a;b\n1;2\n',
      'streamed.txt': 'a line that makes it long\n'.repeat(100_000),
    }
    const entries = Object.entries(tree).map(([name, text]) => [`docs/${name}`, text])
    const journey = await world.begin(
      makeTree({ ...Object.fromEntries(entries), 'docs/empty.txt': '' }),
    )
    for (const [name, text] of Object.entries(tree)) {
      const { asset_id, md5 } = await journey.ready(name)
      expect(md5).toBe(md5Of(text))
      const { mime_type } = world.api.assets.find((asset) => asset.asset_id === asset_id)!
      const stored = { size: Buffer.byteLength(text), md5: md5Of(text), content_type: mime_type }
      expect(await world.store.stat(asset_id!), name).toEqual(stored)
      expect(await world.store.readMd5(asset_id!), name).toBe(md5Of(text))
    }
    expect(journey.file('empty.txt')?.stage).toBe('skipped empty')
    expect(world.host.requests.map(({ method, status }) => [method, status])).toEqual(
      Array(4).fill(['PUT', 201]),
    )
  })

  const spoilt: [string, number, (ticket: WireTicket, asset_id: string) => void][] = [
    [
      'a URL that has expired',
      403,
      (ticket, asset_id) => {
        ticket.upload_url =
          world.host.origin + world.store.mint(asset_id, system_clock.now_ms() - second_ms)
      },
    ],
    [
      'a signature that was changed',
      403,
      (ticket) => {
        ticket.upload_url = ticket.upload_url.replace(/sig=./, (start) =>
          start === 'sig=A' ? 'sig=B' : 'sig=A',
        )
      },
    ],
    [
      'the URL of one blob bent to another',
      403,
      (ticket, asset_id) => {
        ticket.upload_url = ticket.upload_url.replace(asset_id, 'asset_of_somebody_else')
      },
    ],
    [
      'a longer life than was signed',
      403,
      (ticket) => {
        ticket.upload_url = ticket.upload_url.replace(/([?&]se=)2/, '$13')
      },
    ],
    [
      'headers without the kind of blob',
      400,
      (ticket) => {
        delete ticket.upload_headers['x-ms-blob-type']
      },
    ],
    [
      'the md5 of other bytes',
      400,
      (ticket) => {
        ticket.upload_headers['content-md5'] = createHash('md5')
          .update('other bytes')
          .digest('base64')
      },
    ],
  ]
  test.each(spoilt)(
    '%s: the store refuses, and the file is sent with a new ticket',
    async (_what, status, spoil) => {
      world.api.spoil.push(spoil)
      const text = `sent with a bad ticket first: ${_what}`
      const journey = await world.begin(makeTree({ 'docs/a.txt': text }))
      const { asset_id } = await journey.ready('a.txt')
      expect(world.host.requests.map((request) => request.status)).toEqual([status, 201])
      const [first, second] = world.api.assets
      expect([first?.status, second?.asset_id]).toEqual(['uploaded', asset_id])
      // A refused file is not stored under any name.
      expect(await world.store.stat(first!.asset_id)).toBeUndefined()
      expect(await world.store.names()).not.toContain('asset_of_somebody_else')
      expect((await world.store.stat(asset_id!))?.md5).toBe(md5Of(text))
    },
  )

  test('a daemon that ends in the middle of a PUT fills the same slot with the same URL', async () => {
    const swallowed = world.host.swallowNext()
    const text = 'sent twice, stored once'
    const journey = await world.begin(makeTree({ 'docs/a.txt': text }))
    await swallowed
    await journey.abort()
    await journey.start()
    const { asset_id } = await journey.ready('a.txt')
    const [first, second, ...more] = world.host.requests
    expect([first?.path, first?.status, second?.status, more]).toEqual([
      second?.path,
      undefined,
      201,
      [],
    ])
    expect(world.api.assets.map((asset) => asset.asset_id)).toEqual([asset_id])
    expect((await world.store.stat(asset_id!))?.md5).toBe(md5Of(text))
  })

  test('uploads a gigabyte', { timeout: 180_000 }, async (context) => {
    const { bavail, bsize } = statfsSync(tmpdir())
    if (bavail * bsize < min_free_bytes) {
      console.log(
        `skipped: a gigabyte, because less than ${min_free_bytes} bytes are free in ${tmpdir()}`,
      )
      return context.skip()
    }
    const base = makeTree({ 'docs/big.bin': '' })
    const md5 = writeSparse(join(base, 'docs/big.bin'))
    const journey = await world.begin(base)
    // No other wait is as long: the file is hashed, sent, and hashed again by the store.
    while (journey.file('big.bin')?.stage !== 'ready')
      await new Promise((resolve) => setTimeout(resolve, 50))
    const { asset_id } = journey.file('big.bin')!
    expect(await world.store.stat(asset_id!)).toMatchObject({ size: gib, md5 })
    expect(world.host.requests.map((request) => request.status)).toEqual([201])
  })
})

/**
 * Writes a gigabyte of holes with some numbers, so that no two ranges are equal. Returns its md5.
 */
function writeSparse(file: string): string {
  const range = Buffer.alloc(16 * 1024 * 1024)
  const md5 = createHash('md5')
  const descriptor = openSync(file, 'r+')
  for (let at = 0; at < gib; at += range.length) {
    range.writeUInt32BE(at)
    writeSync(descriptor, range, 0, 4, at)
    md5.update(range)
  }
  ftruncateSync(descriptor, gib)
  closeSync(descriptor)
  return md5.digest('hex')
}

function md5Of(text: string): string {
  return createHash('md5').update(text).digest('hex')
}
