import { createHash, randomFillSync } from 'node:crypto'
import { lstatSync, readFileSync } from 'node:fs'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { system_clock } from '../../src/base/time.ts'
import { startExaminer } from '../../src/disk/examiner.ts'
import { most_held_bytes, most_part_bytes, read_ahead_bytes } from '../../src/disk/read-ahead.ts'
import { openSource, type Source } from '../../src/disk/source.ts'
import type { Ticket } from '../../src/domain/ticket.ts'
import { makeCertificates } from '../../src/service/make-certificates.ts'
import { startService } from '../../src/service/service.ts'
import { makeStore, makeTree } from '../tree.ts'
import { failureOf, remoteAt, successOf } from './fixture.ts'

/*
 * What is read ahead is read into the memory of parts that the socket has let go of. That it has is undici's doing and Node's: here
 * they send through a line that takes a little and rests, and the service must have the very bytes.
 */

const content = randomFillSync(Buffer.alloc(read_ahead_bytes + 5 * most_part_bytes + 12_345))
const md5 = createHash('md5').update(content).digest('hex')

async function openContent(): Promise<Source> {
  const root = makeTree({ 'film.mp4': content })
  const { size, mtimeNs, ctimeNs, ino } = lstatSync(join(root, 'film.mp4'), { bigint: true })
  const stat = { size: Number(size), mtime_ns: mtimeNs, ctime_ns: ctimeNs, inode: ino }
  const examiner = startExaminer({ threads: 1 })
  const source = await openSource(root, 'film.mp4', { stat, md5 }, examiner)
  onTestFinished(async () => {
    await source.close()
    await examiner.close()
  })
  return source
}

/** A line to the blob store that passes on what a socket gives at once, and rests after each `bytes_between_rests`. */
async function slowLineTo(blob: string, bytes_between_rests: number): Promise<string> {
  const sockets = new Set<Socket>()
  const server = createServer((from) => {
    const to = connect(Number(new URL(blob).port), new URL(blob).hostname)
    let until_rest = bytes_between_rests
    for (const socket of [from, to]) sockets.add(socket.on('error', () => socket.destroy()))
    from.once('close', () => to.destroy())
    to.once('close', () => from.destroy())
    to.pipe(from)
    from.on('data', (piece) => {
      const goes_on = to.write(piece)
      until_rest -= piece.length
      if (goes_on && until_rest > 0) return
      from.pause()
      if (until_rest <= 0) until_rest = bytes_between_rests
      setTimeout(() => from.resume(), 1)
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  const { protocol } = new URL(blob)
  return `${protocol}//127.0.0.1:${(server.address() as AddressInfo).port}`
}

async function start(over: 'http' | 'https', bytes_between_rests: number) {
  const files = over === 'https' ? makeCertificates(makeStore(), ['127.0.0.1'], system_clock) : undefined
  const tls = files && { cert_file: files.cert, key_file: files.key }
  const service = await startService({ data_dir: makeStore(), ...(tls ? { tls } : {}) })
  onTestFinished(() => service.close())
  const { project_id } = service.projects.create('films')
  const { token } = service.tokens.create('films')
  const remote = remoteAt(service.api, { token: () => token, ca: files && readFileSync(files.ca, 'utf8') })
  const line = await slowLineTo(service.blob, bytes_between_rests)
  const created = await remote.createAsset(project_id, { filename: 'film.mp4', mime_type: 'video/mp4', md5 })
  const slot = successOf(created)
  if (slot.kind !== 'slot') throw new Error('there was no slot')
  const upload_url = slot.ticket.upload_url.replace(service.blob, line)
  expect(upload_url).not.toBe(slot.ticket.upload_url)
  const ticket: Ticket = { ...slot.ticket, upload_url }
  const complete = async () => {
    successOf(await remote.completeAsset(project_id, slot.asset_id))
    return service.readBlob(slot.asset_id).equals(content)
  }
  return { remote, ticket, complete }
}

/** As a limit for the line cuts them: pieces below what makes a socket say that it has enough. */
async function* inSmallPieces(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  for await (const part of stream) {
    for (let at = 0; at < part.length; ) {
      const length = 1 + ((at * 7) % (most_held_bytes - 1))
      yield part.subarray(at, at + length)
      at += length
    }
  }
}

for (const over of ['http', 'https'] as const) {
  test(`what is read ahead arrives as it is over a line that rests, ${over}`, async () => {
    const source = await openContent()
    const { remote, ticket, complete } = await start(over, 700_000)
    successOf(await remote.putBytes(ticket, { size: source.size, stream: source.stream() }))
    expect(await complete()).toBe(true)
  })

  test(`and so it does in small pieces, ${over}`, async () => {
    const source = await openContent()
    const { remote, ticket, complete } = await start(over, 300_000)
    successOf(await remote.putBytes(ticket, { size: source.size, stream: inSmallPieces(source.stream()) }))
    expect(await complete()).toBe(true)
  })
}

test('a try that is stopped in the middle, and the next one beside what is left of it', async () => {
  const source = await openContent()
  const { remote, ticket, complete } = await start('http', 700_000)
  const stop = new AbortController()
  async function* stopping(): AsyncGenerator<Uint8Array> {
    let bytes = 0
    for await (const part of source.stream()) {
      bytes += part.length
      if (bytes > read_ahead_bytes) stop.abort()
      yield part
    }
  }
  failureOf(await remote.putBytes(ticket, { size: source.size, stream: stopping() }, stop.signal))
  successOf(await remote.putBytes(ticket, { size: source.size, stream: source.stream() }))
  expect(await complete()).toBe(true)
})
