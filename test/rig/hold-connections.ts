import { once } from 'node:events'
import { connect, type NetConnectOpts, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'

/**
 * Opens connections that send this and then fall silent, without closing their side, until the test
 * ends. Each is accepted before the next one comes.
 */
export async function holdConnections(
  where: NetConnectOpts,
  count: number,
  text = '',
): Promise<Socket[]> {
  const sockets: Socket[] = []
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy()
  })
  for (let at = 0; at < count; at++) {
    const socket = connect({ allowHalfOpen: true, ...where })
    socket.on('error', () => {})
    sockets.push(socket)
    await once(socket, 'connect')
    if (text !== '') socket.write(text)
  }
  return sockets
}

/** How many of them the other side has not closed. */
export function countOpen(sockets: readonly Socket[]): number {
  return sockets.filter(({ closed, readableEnded }) => !closed && !readableEnded).length
}
