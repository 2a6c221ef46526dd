import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { type Client, start, until } from '../fixture.ts'

/**
 * Begins a call: its head and half of its body have arrived. `finish` sends the rest and returns
 * the answer.
 */
async function begun(
  client: Client,
  path: string,
  body: object,
): Promise<{ finish: () => Promise<string> }> {
  const { service, token, project_id } = client
  const text = JSON.stringify(body)
  const head = [
    `POST ${path} HTTP/1.1`,
    `Host: ${new URL(service.api).host}`,
    `X-API-Key: ${token}`,
    `X-Project-Id: ${project_id}`,
    'Content-Type: application/json',
    `Content-Length: ${text.length}`,
    'Connection: close',
  ]
  const before = service.requestLog.length
  const socket: Socket = connect(Number(new URL(service.api).port), '127.0.0.1')
  let answer = ''
  socket.setEncoding('utf8').on('data', (piece: string) => {
    answer += piece
  })
  socket.write(`${head.join('\r\n')}\r\n\r\n${text.slice(0, 5)}`)
  await until(() => service.requestLog.length > before, 'the request')
  return {
    finish: () =>
      new Promise((resolve) => {
        socket.once('close', () => resolve(answer))
        socket.write(text.slice(5))
      }),
  }
}

const label = { name: 'while it came' }

test('A-04 a key that is revoked while a body is being sent gets a 401, and nothing is done', async () => {
  const client = await start()
  const { finish } = await begun(client, '/v1/labels', label)
  client.service.tokens.revoke(client.service.tokens.list()[0]!.name)
  expect(await finish()).toMatch(/^HTTP\/1\.1 401 [\s\S]*publicapi\.auth\.invalid/)
  const other = client.as({ token: client.service.tokens.create('other').token })
  expect((await other.get('/v1/labels')).body.data).toEqual([])
})

test('D-05 a role that is removed while a body is being sent does not count any more', async () => {
  const client = await start()
  const [email, path] = ['ada@example.org', `/v1/projects/${client.project_id}/invitations`]
  client.service.users.create(email)
  client.service.members.add(email, client.project_id, 'collaborator')
  const ada = client.as({ token: client.service.tokens.create('of ada', { user: email }).token })
  const { finish } = await begun(ada, '/v1/labels', label)
  await client.post(path, { email, role: 'reader' })
  expect(await finish()).toMatch(/^HTTP\/1\.1 400 [\s\S]*publicapi\.tenancy\.role\.insufficient/)
  expect((await client.get('/v1/labels')).body.data).toEqual([])
})

test('other changes during a call do not stop it', async () => {
  const client = await start()
  const { finish } = await begun(client, '/v1/labels', label)
  client.service.tokens.create('another')
  client.service.tokens.revoke('another')
  expect(await finish()).toMatch(/^HTTP\/1\.1 201 /)
})
