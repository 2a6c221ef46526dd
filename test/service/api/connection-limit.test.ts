import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { expect, onTestFinished, test } from 'vitest'
import { countOpen, holdConnections } from '../../rig/hold-connections.ts'
import { type Slot, until } from '../fixture.ts'
import { makeAccount, makeSlot, serve } from '../service-process.ts'

const open_files = 160

/** Opens silent connections, and returns a function that counts those that are still open. */
async function crowd(address: string, count: number): Promise<() => number> {
  const { hostname: host, port } = new URL(address)
  const sockets = await holdConnections({ host, port: Number(port) }, count)
  return () => countOpen(sockets)
}

async function statusOf(agent: Agent, url: string): Promise<number | undefined> {
  const asked = request(url, { agent })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [IncomingMessage]
  answer.resume()
  await once(answer, 'end')
  return answer.statusCode
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

test('with more connections than descriptors the service closes and logs the rest, and calls and uploads still get through', async () => {
  const account = makeAccount()
  const service = await serve(account.data_dir, [], { open_files })
  const slots = [await makeSlot(service, account), await makeSlot(service, account)]
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  onTestFinished(() => agent.destroy())
  // Small bytes are kept in the database, so that the connection exists before the crowd comes.
  expect(await putBy(agent, slots[0]!, Buffer.from('small'))).toBe(201)
  const left = [await crowd(service.api, open_files), await crowd(service.blob, open_files)]
  const own_connection = new Agent()
  onTestFinished(() => own_connection.destroy())
  expect(await statusOf(own_connection, `${service.api}/v1/openapi.yaml`), 'a new client').toBe(200)
  // Large bytes take a file of their own.
  expect(await putBy(agent, slots[1]!, Buffer.alloc(400_000, 'x'))).toBe(201)
  await until(() => left.every((count) => count() < open_files / 2), 'those too many are closed')
  expect(service.err()).toMatch(
    /(api|blob): connections are closed for new ones: \d+ may be open, because this process may open only 160 files/,
  )
})
