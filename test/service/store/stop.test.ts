import { readdirSync } from 'node:fs'
import { connect } from 'node:net'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { put, until } from '../fixture.ts'
import { call, makeAccount, makeSlot, serve, statusIs, uploadHalf } from '../service-process.ts'

/** Too much for the database: it goes into a file, which can be seen. */
const bytes = Buffer.from('The heron waits in the reeds.\n'.repeat(10_000))
const objectsIn = (data_dir: string) => readdirSync(join(data_dir, 'objects'))

async function isRefused(origin: string): Promise<boolean> {
  const { hostname, port } = new URL(origin)
  const socket = connect(Number(port), hostname)
  const refused = await new Promise<boolean>((resolve) => {
    socket.once('connect', () => resolve(false)).once('error', () => resolve(true))
  })
  socket.destroy()
  return refused
}

test('on SIGTERM requests in flight finish, new ones are refused, and the service says what it waits for', async () => {
  const account = makeAccount()
  const service = await serve(account.data_dir, ['--stop-grace', '30000'])
  const slot = await makeSlot(service, account)
  const upload = uploadHalf(slot, bytes)
  await until(() => objectsIn(account.data_dir).length === 1, 'the upload is on its way')
  const ended = service.end('SIGTERM')
  await until(() => service.err().includes('the service stops:'), 'it says that it stops')
  expect(service.err()).toContain('the service stops: it waits up to 30 s for 1 upload\n')
  await until(() => isRefused(service.api), 'the API refuses')
  await until(() => isRefused(service.blob), 'the blob store refuses')
  expect(await upload.finish()).toBe(201)
  expect(await ended).toBe(0)
  expect(service.err()).not.toContain('no answer')

  const again = await serve(account.data_dir)
  expect(
    (await call(`${again.api}/v1/assets/${slot.asset_id}/complete`, account, {})).body
      .size_in_bytes,
  ).toBe(bytes.length)
  await statusIs(again, account, slot.asset_id, 'ready')
  expect(await again.end('SIGINT')).toBe(0)
})

test('requests that take longer than the grace are cut and reported, and can be repeated', async () => {
  const account = makeAccount()
  const service = await serve(account.data_dir, ['--stop-grace', '200'])
  const { port } = new URL(service.blob)
  const slot = await makeSlot(service, account)
  const upload = uploadHalf(slot, bytes)
  await until(() => objectsIn(account.data_dir).length === 1, 'the upload is on its way')
  expect(await service.end('SIGTERM')).toBe(0)
  await upload.closed
  expect(service.err()).toContain('the service stops: it waits up to 0.2 s for 1 upload\n')
  expect(service.err()).toContain('the service stopped: 1 upload took too long and got no answer\n')
  expect(objectsIn(account.data_dir)).toEqual([])

  const again = await serve(account.data_dir, ['--blob-port', port])
  expect((await put(slot, bytes)).status).toBe(201)
  expect((await call(`${again.api}/v1/assets/${slot.asset_id}/complete`, account, {})).status).toBe(
    200,
  )
  await statusIs(again, account, slot.asset_id, 'ready')
})

test('a client that never pauses does not delay the stop: its next answer is its last', async () => {
  const account = makeAccount()
  const service = await serve(account.data_dir, ['--stop-grace', '60000', '--latency', '300'])
  const { hostname, port, host } = new URL(service.api)
  const socket = connect(Number(port), hostname)
  const key = `X-API-Key: ${account.headers['x-api-key']}\r\nX-Project-Id: ${account.headers['x-project-id']}`
  const question = `GET /v1/assets HTTP/1.1\r\nHost: ${host}\r\n${key}\r\n\r\n`
  let came = ''
  socket.setEncoding('latin1').on('data', (text: string) => {
    came += text
  })
  const answers = () => came.split('HTTP/1.1 200')
  // There are always more questions than answers, because an answer takes as long as many
  // questions.
  const asking = setInterval(() => socket.write(question), 10)
  const closed = new Promise<void>((resolve) =>
    socket.once('close', () => resolve()).on('error', () => {}),
  )
  onTestFinished(() => clearInterval(asking))
  void closed.then(() => clearInterval(asking))
  await until(() => answers().length > 12, 'it is asked')
  const begun = performance.now()
  expect(await service.end('SIGTERM')).toBe(0)
  expect(performance.now() - begun).toBeLessThan(30_000)
  await closed
  expect(answers().at(-1)?.toLowerCase()).toContain('connection: close')
  expect(service.err()).not.toContain('no answer')
})
