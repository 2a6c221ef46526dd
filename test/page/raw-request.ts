import { once } from 'node:events'
import { connect } from 'node:net'

/**
 * Sends bytes as they are, which no client does, and returns the whole answer. `address`: of the
 * page. A host of the page and the end of the connection are added where `lines` do not name them.
 * `from`: an address of this machine, such as 127.0.0.2.
 */
export async function rawRequest(
  address: string,
  lines: readonly string[],
  body = '',
  from?: string,
  has_end = true,
): Promise<string> {
  const { hostname: to, port, host } = new URL(address)
  const socket = connect({
    host: to,
    port: Number(port),
    ...(from !== undefined && { localAddress: from }),
  })
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  socket.on('error', () => {})
  const [request, ...headers] = lines
  const has_host = headers.some((line) => /^host:/i.test(line))
  const head = [request, ...(has_host ? [] : [`Host: ${host}`]), 'Connection: close', ...headers]
  // Without an end of the headers, the server waits for it.
  const end = has_end ? '\r\n\r\n' : ''
  socket.write(Buffer.from(`${head.join('\r\n')}${end}${body}`, 'latin1'))
  await once(socket, 'close')
  return Buffer.concat(parts).toString('utf8')
}

/** Status of such an answer; 0: the connection was closed without one. */
export function statusOf(answer: string): number {
  return Number(/^HTTP\/1\.1 (\d{3})/.exec(answer)?.[1] ?? 0)
}
