import type { Socket } from 'node:net'
import { expect, onTestFinished, test } from 'vitest'
import { createHttpClient } from '../../src/base/net/http-client.ts'
import { isSurelyUnsent } from '../../src/base/net/network-fault.ts'
import { SluiceError } from '../../src/base/run/errors.ts'
import { system_clock } from '../../src/base/time/time.ts'
import { until } from '../service/fixture.ts'
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

/** A connection may give any code once it has carried a request, even one of `connect`. */
test.each(
  ['EHOSTUNREACH', 'ENETUNREACH', 'EHOSTDOWN', 'ENETDOWN', 'ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']
    .concat(['EADDRNOTAVAIL', 'ETIMEDOUT', 'EPIPE', 'ECONNRESET', 'ECONNABORTED', 'ENOENT'])
    .concat(['UND_ERR_CONNECT_TIMEOUT', 'UND_ERR_SOCKET', 'EMFILE', 'EPROTO']),
)('%s on an open connection does not say that the request did not arrive', async (code) => {
  for (const syscall of ['read', 'write', 'connect', undefined]) {
    const server = await startServer([() => {}])
    const request = { method: 'POST', url: new URL(server.origin), headers: {} } as const
    const waiting = client()
      .request({ ...request, body: 'a question' })
      .catch((error: unknown) => error)
    await until(() => server.requests.length === 1)
    const handles = (process as never as { _getActiveHandles(): unknown[] })._getActiveHandles()
    const socket = handles.find((each) => (each as Socket).remotePort === server.port) as Socket
    socket.destroy(Object.assign(new Error(code), { code, syscall }))
    const fault = (await waiting) as SluiceError
    expect(fault).toBeInstanceOf(SluiceError)
    expect(isSurelyUnsent(fault.code), `${syscall} ${fault.message}`).toBe(false)
    expect(fault.detail).toBe(code)
    // Only a code without words stands in the text.
    expect(fault.message).toMatch(
      code === 'EMFILE'
        ? /: the request failed \(too many open files: /
        : /: (the connection broke|no answer came in time)$/,
    )
  }
})
