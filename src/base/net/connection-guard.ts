import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import { minute_ms } from '../time/time.ts'
import { type ConnectionPlaces, type HeldPlace, networkOf, placeFor } from './connection-places.ts'

export interface GuardOptions extends ConnectionPlaces {
  /** Limit for a whole request with its body; absent: as the server was made. */
  request_ms?: number
  /** Called when `max` are open and another one comes. */
  onFull?: () => void
}

/**
 * A client that reads nothing of its answer for so long is cut. A slow one reads a little, and an
 * answer that a handler still works on has nothing to be read.
 */
const unread_answer_ms = minute_ms

/** Limits the connections of a server that does not listen yet, and those that read no answer. */
export function guardConnections(server: Server, options: GuardOptions): void {
  const guard = new ConnectionGuard(options)
  if (options.request_ms !== undefined) server.requestTimeout = options.request_ms
  server.on('connection', (socket: Socket) => guard.onConnection(socket))
  server.prependListener('request', (request: IncomingMessage, response: ServerResponse) =>
    guard.onRequest(request, response),
  )
  // A server with a limit on any silence cuts these as well.
  if (server.timeout > 0) return
  server.setTimeout(unread_answer_ms, (socket) => guard.onSilence(socket))
}

interface Held extends HeldPlace {
  key: unknown
  socket: Socket
}

class ConnectionGuard {
  readonly #options: GuardOptions
  /** In the order of the last request. */
  readonly #held = new Map<unknown, Held>()

  constructor(options: GuardOptions) {
    this.#options = options
  }

  onConnection(socket: Socket): void {
    const { max, isShared, onFull } = this.#options
    const { remoteAddress: address } = socket
    const network = address === undefined || isShared?.(address) ? undefined : networkOf(address)
    if (this.#held.size >= max) onFull?.()
    const place = placeFor(network, [...this.#held.values()], this.#options)
    if (place === 'none') {
      socket.destroy()
      return
    }
    if (place !== 'free') {
      place.socket.destroy()
      this.#held.delete(place.key)
    }
    const key = keyOf(socket)
    this.#held.set(key, { key, socket, network, request: undefined, open_requests: 0 })
    socket.once('close', () => this.#held.delete(key))
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    const held = this.#held.get(keyOf(request.socket))
    if (!held) return
    held.request = request
    held.open_requests += 1
    this.#held.delete(held.key)
    this.#held.set(held.key, held)
    response.once('close', () => {
      held.open_requests -= 1
    })
  }

  /** Cuts a silent connection, unless a handler works on its answer. */
  onSilence(socket: Socket): void {
    const held = this.#held.get(keyOf(socket))
    if (!held?.open_requests || socket.writableLength > 0) socket.destroy()
  }
}

/** The same for the TCP socket and the TLS socket of a connection. Unix sockets have no address. */
function keyOf(socket: Socket): unknown {
  const { remoteAddress, remotePort } = socket
  return remotePort === undefined ? socket : `${remoteAddress} ${remotePort}`
}
