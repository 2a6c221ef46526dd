import { once } from 'node:events'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { connect, type Socket } from 'node:net'
import { promisify } from 'node:util'
import { onTestFinished, test } from 'vitest'
import { closeServer, createBareServer, listen } from '../../../src/base/net/http-server.ts'
import { createHttpApp, type HttpApp } from '../../../src/base/net/http-server-app.ts'
import { test_certificate, test_key } from '../../remote/test-certificate.ts'
import { until } from '../../rig/waiting.ts'

const silence_ms = 300
const answerError = () => ({ status: 400, body: { code: 'no' } })
const tls = { cert: test_certificate, key: test_key }

async function begin(server: Server): Promise<number> {
  const port = await listen(server, '127.0.0.1', 0)
  onTestFinished(() => closeServer(server, 0))
  return port
}

/** A client that sends this, and then neither closes its side nor reads the end of the other. */
async function hold(port: number, text: string): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1', allowHalfOpen: true })
  socket.on('error', () => {})
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  if (text !== '') socket.write(text)
  return socket
}

const connectionsOf = (server: Server) => promisify(server.getConnections.bind(server))()

const body_limit_bytes = 1_000
const servers = {
  'with a limit of silence': (tls_keys?: typeof tls) => [
    createBareServer({ answerError, silence_ms, tls: tls_keys, handle }),
    createHttpApp({ body_limit_bytes, answerError, silence_ms, tls: tls_keys }).then(ready),
  ],
  // As the page, the health and the control socket have it.
  'without one': (tls_keys?: typeof tls) => [
    createBareServer({ answerError, tls: tls_keys, handle }),
    createHttpApp({ body_limit_bytes, answerError, tls: tls_keys }).then(ready),
  ],
}
const handle = (_request: IncomingMessage, response: ServerResponse) => void response.end('ok')
async function ready(app: HttpApp): Promise<Server> {
  app.post('/', async () => ({}))
  await app.ready()
  return app.server
}

const head = 'POST / HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n'
/** What clients send before they fall silent, without closing their side. */
const beginnings = {
  nothing: '',
  'half of the headers': 'GET / HTTP/1.1\r\nHost: 127',
  'half of the body': `${head}Content-Length: 100\r\n\r\n{`,
  'no HTTP': 'what is this?\r\n\r\n',
  'a request for a tunnel': 'CONNECT example.com:443 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
  'an unknown Expect': `${head}Expect: miracles\r\n\r\n`,
}
const handshakes = {
  nothing: '',
  'half of the handshake': '\x16\x03\x01\x02\x00\x01',
  'no TLS': 'GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n',
}

test.each([
  ['plain', 'with a limit of silence', undefined, beginnings],
  ['plain', 'without one', undefined, beginnings],
  ['TLS', 'with a limit of silence', tls, handshakes],
] as const)(
  'a %s server %s keeps no connection of clients that fall silent',
  async (_scheme, kind, keys, sent) => {
    const clear = async (server: Server) => {
      const port = await begin(server)
      // Both are half a minute.
      Object.assign(server, { headersTimeout: silence_ms, requestTimeout: silence_ms })
      const names = Object.keys(sent)
      let came = 0
      server.on('connection', () => came++)
      for (const text of Object.values(sent)) await hold(port, text)
      await until('all came', () => came === names.length)
      await until('none is left', async () => (await connectionsOf(server)) === 0, undefined, 8_000)
    }
    await Promise.all((await Promise.all(servers[kind](keys))).map(clear))
  },
)
