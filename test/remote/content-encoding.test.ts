import { randomBytes } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { describe, expect, onTestFinished, test } from 'vitest'
import { decodeBody } from '../../src/base/net/decode-body.ts'
import { createHttpClient } from '../../src/base/net/http-client.ts'
import { system_clock } from '../../src/base/time/time.ts'
import { failureOf, project_id, remoteAt, successOf } from './fixture.ts'
import { startServer } from './recording-server.ts'

function client() {
  const long_ms = 20_000
  const made = createHttpClient({
    connections: 4,
    timeouts: { connect_ms: long_ms, answer_ms: long_ms, body_ms: long_ms, stall_ms: long_ms },
    max_body_bytes: 10_000,
    clock: system_clock,
  })
  onTestFinished(() => made.close())
  return made
}

const get = (address: string) => ({ method: 'GET', url: new URL(address), headers: {} }) as const

describe('A-38 Content-Encoding', () => {
  const text = JSON.stringify({ words: 'ü'.repeat(3_000) })
  const zipped = gzipSync(text)

  function asking(encoding: string | string[], body: Buffer, status = 200) {
    return startServer([
      (_, response) => {
        response.writeHead(status, { 'content-encoding': encoding as string })
        response.end(body)
      },
    ])
  }

  test.each(['gzip', 'GZIP', ' gzip ', 'x-gzip'])('%j is decoded', async (encoding) => {
    const server = await asking(encoding, zipped)
    const answer = await client().request(get(server.origin))
    expect(answer).toMatchObject({ status: 200, body: text, truncated: false })
    expect(answer.undecoded).toBeUndefined()
  })

  test.each(['identity', ''])('%j is a plain body', async (encoding) => {
    const server = await asking(encoding, Buffer.from('\uFEFFplain'))
    const answer = await client().request(get(server.origin))
    expect(answer).toMatchObject({ body: 'plain', truncated: false })
  })

  test('an empty body needs no decoding', async () => {
    const server = await asking('gzip', Buffer.alloc(0), 201)
    const answer = await client().request(get(server.origin))
    expect([answer.status, answer.body, answer.undecoded]).toEqual([201, '', undefined])
  })

  test.each(['br', 'deflate', 'zstd', 'gzip, br', 'gzip, gzip'])(
    '%s is not decoded: the status counts, and the body says why it is empty',
    async (encoding) => {
      const server = await asking(encoding, zipped, 503)
      const answer = await client().request(get(server.origin))
      expect(answer).toMatchObject({
        status: 503,
        body: '',
        undecoded: `its encoding is unknown (${encoding})`,
      })
    },
  )

  test('damaged and cut gzip bodies', async () => {
    const half = zipped.subarray(0, zipped.length / 2)
    for (const body of [half, Buffer.from(text), Buffer.concat([zipped.subarray(0, 20), zipped])]) {
      const server = await asking('gzip', body)
      const answer = await client().request(get(server.origin))
      expect(answer).toMatchObject({ body: '', undecoded: 'its gzip encoding is damaged' })
    }
    // A body that is cut from here is decoded as far as it goes.
    const random = randomBytes(20_000).toString('hex')
    const server = await asking('gzip', gzipSync(random))
    const cut = await client().request(get(server.origin))
    expect(cut.truncated).toBe(true)
    expect(random.startsWith(cut.body)).toBe(true)
  })

  test('a bomb takes no more memory than the largest body', async () => {
    const member = gzipSync(Buffer.alloc(1_048_576))
    const bomb = Buffer.concat(Array<Buffer>(512).fill(member))
    const before_kb = process.resourceUsage().maxRSS
    const max_bytes = 4 * 1_048_576
    const decoded = decodeBody(bomb, 'gzip', { max_bytes, is_cut: false })
    expect(decoded).toEqual({ body: '', truncated: true })
    expect(process.resourceUsage().maxRSS - before_kb).toBeLessThan(64 * 1_024)
    const server = await asking('gzip', bomb.subarray(0, 9_000))
    expect(await client().request(get(server.origin))).toMatchObject({ body: '', truncated: true })
  })

  test('calls of the service: a list, an error and an encoding that is not known', async () => {
    const list = await asking('gzip', gzipSync(JSON.stringify({ data: [], has_more: false })))
    expect(successOf(await remoteAt(list.origin).listLabels(project_id))).toEqual([])
    expect(list.requests[0]?.headers['accept-encoding']).toBe('identity')
    const error = { code: 'publicapi.rate.limited', humane: 'Too fast.', statusCode: 429 }
    const busy = await asking('gzip', gzipSync(JSON.stringify(error)), 429)
    expect(failureOf(await remoteAt(busy.origin).listLabels(project_id))).toMatchObject({
      about: 'later',
      humane: 'Too fast',
    })
    const odd = await asking('br', zipped)
    expect(failureOf(await remoteAt(odd.origin).listLabels(project_id))).toMatchObject({
      about: 'unknown_protocol',
      message: expect.stringContaining('its encoding is unknown (br)'),
    })
  })
})
