import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type Client, start, until } from '../fixture.ts'

const silence_ms = 800
/** Far less than a deliberately slow client would need. */
const soon_ms = 20_000

/**
 * Sends the beginning, and then single bytes or nothing. Returns what came back once the connection
 * is cut.
 */
function dawdle(origin: string, beginning: string, drip_ms = 0): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket: Socket = connect(Number(new URL(origin).port), '127.0.0.1')
    let answer = ''
    const dripping = drip_ms > 0 ? setInterval(() => socket.write('x'), drip_ms) : undefined
    const late = setTimeout(() => done(new Error('it was never cut')), soon_ms)
    const done = (error?: Error) => {
      clearInterval(dripping)
      clearTimeout(late)
      socket.destroy()
      if (error) reject(error)
      else resolve(answer)
    }
    socket.setEncoding('utf8').on('data', (piece: string) => {
      answer += piece
    })
    // A byte that arrives after the cut is answered by a reset.
    socket.on('error', () => done())
    socket.on('close', () => done())
    socket.write(beginning)
  })
}

function headOf({ service, token, project_id }: Client): string {
  const host = new URL(service.api).host
  const keys = `Host: ${host}\r\nX-API-Key: ${token}\r\nX-Project-Id: ${project_id}\r\n`
  return `POST /v1/labels HTTP/1.1\r\n${keys}Content-Type: application/json\r\nContent-Length: 900000\r\n\r\n{`
}

test('a call whose body stops, or comes byte by byte, is cut', async () => {
  const client = await start({ silence_ms })
  for (const drip_ms of [0, silence_ms / 8]) {
    const answer = await dawdle(client.service.api, headOf(client), drip_ms)
    expect(answer).toMatch(/^$|^HTTP\/1\.1 400 [\s\S]*publicapi\.request\.malformed/)
  }
  expect((await client.get('/v1/labels')).body.data).toEqual([])
})

test('an upload without progress is cut and leaves nothing; one with progress is not cut', async () => {
  const client = await start({ silence_ms })
  const { upload_url, upload_headers, asset_id } = await client.slot()
  const { origin, host, pathname, search } = new URL(upload_url)
  const headers = Object.entries(upload_headers).map(([name, value]) => `${name}: ${value}\r\n`)
  const head = (length: number) =>
    `PUT ${pathname}${search} HTTP/1.1\r\nHost: ${host}\r\n${headers.join('')}Content-Length: ${length}\r\n\r\n`
  expect(await dawdle(origin, `${head(1_000_000)}x`)).toBe('')
  await until(() =>
    client.service.requestLog.every(({ place, status }) => place !== 'put' || status === 0),
  )
  // This takes four times the silence limit, and is never silent, though a byte comes late on a
  // busy machine. It is cut only after its end.
  const answer = await dawdle(origin, `${head(32)}`, silence_ms / 8)
  expect(answer).toMatch(/^HTTP\/1\.1 201 /)
  expect(client.service.readBlob(asset_id).toString()).toBe('x'.repeat(32))
})

test('a client refused by the blob store cannot keep its connection by sending more', async () => {
  const client = await start({ silence_ms })
  const head = `PUT /objects/nothing HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1000000\r\n\r\n`
  expect(await dawdle(client.service.blob, head)).toMatch(/^HTTP\/1\.1 400 /)
})
