import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { type Slot, until } from '../fixture.ts'
import { makeAccount, makeSlot, serve } from '../service-process.ts'

const open_files = 160

/**
 * Opens silent connections, and returns a function that counts those that are still open once the
 * service has accepted or closed each.
 */
async function crowd(address: string, count: number): Promise<() => number> {
  const { hostname, port } = new URL(address)
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let at = 0; at < count; at++) {
    const socket = connect(Number(port), hostname)
    socket.on('error', () => {})
    socket.resume()
    sockets.push(socket)
    await once(socket, 'connect')
  }
  return () => sockets.filter(({ closed, readableEnded }) => !closed && !readableEnded).length
}

/** Uploads on the one connection of this agent and returns the status. */
async function putBy(agent: Agent, slot: Slot, bytes: Buffer): Promise<number | undefined> {
  const headers = { ...slot.upload_headers, 'content-length': String(bytes.length) }
  const upload = request(slot.upload_url, { method: 'PUT', headers, agent })
  upload.end(bytes)
  const [answer] = (await once(upload, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode
}

test('with more connections than descriptors the service closes and logs the rest, and an upload still gets its file', async () => {
  const account = makeAccount()
  const service = await serve(account.data_dir, [], { open_files })
  const slots = [await makeSlot(service, account), await makeSlot(service, account)]
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  // Small bytes are kept in the database, so that the connection exists before the crowd comes.
  expect(await putBy(agent, slots[0]!, Buffer.from('small'))).toBe(201)
  const left = [await crowd(service.api, open_files), await crowd(service.blob, open_files)]
  // Large bytes take a file of their own.
  expect(await putBy(agent, slots[1]!, Buffer.alloc(400_000, 'x'))).toBe(201)
  await until(() => left.every((count) => count() < open_files / 2), 'those too many are closed')
  expect(service.err()).toMatch(
    /(api|blob): new connections are refused: \d+ are open, and this process may open only 160 files/,
  )
})
