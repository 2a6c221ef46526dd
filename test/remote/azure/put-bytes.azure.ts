import { createHash } from 'node:crypto'
import { describe, expect, test } from 'vitest'
import { failureOf, remoteAt, successOf } from '../fixture.ts'
import { fixture_project, fixture_token } from './fixture-api.ts'
import { headersOf, straysAt, World } from './world.ts'

const world = World.forThisFile()

/** Makes a slot through the client for exactly these bytes. */
async function slotFor(bytes: Uint8Array) {
  const remote = remoteAt(world.api.origin, { token: () => fixture_token })
  const asset = { filename: 'a.bin', mime_type: 'application/octet-stream', md5: hex(bytes) }
  const created = successOf(await remote.createAsset(fixture_project, asset))
  if (created.kind !== 'slot') throw new Error('the content is known already')
  return { remote, ...created }
}

async function* piecesOf(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_000) yield bytes.subarray(at, at + 1_000)
}

describe('a PUT into a real object store', () => {
  const bodies: [string, Buffer][] = [
    ['nothing', Buffer.alloc(0)],
    ['a byte', Buffer.from([0])],
    ['some pieces', Buffer.alloc(123_456, 'never the same piece ')],
  ]
  describe.each(['in memory', 'streamed'] as const)('%s', (way) => {
    test.each(bodies)(
      '%s: size, md5 and type are read back as they were sent',
      async (_what, bytes) => {
        const { remote, asset_id, ticket } = await slotFor(bytes)
        const stream = { [Symbol.asyncIterator]: () => piecesOf(bytes) }
        const body =
          way === 'in memory' ? { size: bytes.length, bytes } : { size: bytes.length, stream }
        successOf(await remote.putBytes(ticket, body))
        const stored = {
          size: bytes.length,
          md5: hex(bytes),
          content_type: 'application/octet-stream',
        }
        expect(await world.store.stat(asset_id)).toEqual(stored)
        expect(await world.store.readMd5(asset_id)).toBe(hex(bytes))
        expect(successOf(await remote.completeAsset(fixture_project, asset_id)).size_in_bytes).toBe(
          bytes.length,
        )
        expect(headersOf(world.host.requests[0]!)).toMatchObject({
          'content-length': String(bytes.length),
        })
        expect(straysAt(world)).toEqual([])
      },
    )
  })

  const bytes = Buffer.from('the right bytes')
  test.each<[string, Record<string, string | undefined>, number | 'taken']>([
    ['without x-ms-blob-type', { 'x-ms-blob-type': undefined }, 400],
    ['with an unknown x-ms-blob-type', { 'x-ms-blob-type': 'HeapBlob' }, 400],
    ['with the content-md5 of other bytes', { 'content-md5': base64('the wrong bytes') }, 400],
    ['with a content-md5 that is none', { 'content-md5': 'none' }, 400],
    // The store accepts the request without it. Only our own listener sees the missing header, so
    // the headers are compared there.
    ['without content-md5', { 'content-md5': undefined }, 'taken'],
  ])('%s', async (_what, change, expected) => {
    const { remote, asset_id, ticket } = await slotFor(bytes)
    const entries = Object.entries({ ...ticket.upload_headers, ...change })
    const upload_headers = Object.fromEntries(
      entries.filter((entry): entry is [string, string] => entry[1] !== undefined),
    )
    const outcome = await remote.putBytes(
      { ...ticket, upload_headers },
      { size: bytes.length, bytes },
    )
    if (expected === 'taken') successOf(outcome)
    else expect(failureOf(outcome)).toMatchObject({ about: 'ticket', status: expected })
    expect(await world.store.stat(asset_id)).toEqual(
      expected === 'taken' ? expect.objectContaining({ md5: hex(bytes) }) : undefined,
    )
  })

  test('why the listener is needed: the store itself accepts a request that reveals our key', async () => {
    const { ticket } = await slotFor(bytes)
    const headers = {
      ...ticket.upload_headers,
      'X-API-Key': fixture_token,
      'X-Project-Id': fixture_project,
    }
    const response = await fetch(ticket.upload_url, { method: 'PUT', headers, body: bytes })
    expect(response.status).toBe(201)
    const given_away = [
      'X-API-Key was added',
      'X-Project-Id was added',
      'pat is given away',
      'project is given away',
    ]
    expect(straysAt(world)).toEqual(expect.arrayContaining(given_away))
  })
})

function hex(bytes: Uint8Array): string {
  return createHash('md5').update(bytes).digest('hex')
}

function base64(text: string): string {
  return createHash('md5').update(text).digest('base64')
}
