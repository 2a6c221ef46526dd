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
  socket: Socket
}

class ConnectionGuard {
  readonly #options: GuardOptions
  /** In the order of the last request. */
  readonly #held = new Map<unknown, Held>()
  readonly #counts = new Map<string, number>()

  constructor(options: GuardOptions) {
    this.#options = options
  }

  onConnection(socket: Socket): void {
    const { max, isShared = () => false, onFull } = this.#options
    const { remoteAddress: address } = socket
    const network = address === undefined || isShared(address) ? undefined : networkOf(address)
    const of_network = this.#countOf(network)
    const counts = { all: this.#held.size, of_network }
    const place = placeFor(network, this.#held.values(), counts, this.#options)
    if (place !== 'free' && counts.all >= max) onFull?.()
    if (place === 'none') {
      socket.destroy()
      return
    }
    const key = keyOf(socket)
    const held: Held = { socket, network, request: undefined, open_requests: 0 }
    if (place !== 'free') this.#close(place)
    this.#held.set(key, held)
    if (network !== undefined) this.#counts.set(network, this.#countOf(network) + 1)
    socket.once('close', () => this.#release(key, held))
  }

  onRequest(request: IncomingMessage, response: ServerResponse): void {
    const key = keyOf(request.socket)
    const held = this.#held.get(key)
    if (!held) return
    held.request = request
    held.open_requests += 1
    this.#held.delete(key)
    this.#held.set(key, held)
    response.once('close', () => {
      held.open_requests -= 1
    })
  }

  /** Cuts a silent connection, unless a handler works on its answer. */
  onSilence(socket: Socket): void {
    const open_requests = this.#held.get(keyOf(socket))?.open_requests ?? 0
    if (open_requests === 0 || socket.writableLength > 0) socket.destroy()
  }

  #close({ socket }: Held): void {
    const key = keyOf(socket)
    const held = this.#held.get(key)
    socket.destroy()
    // Its event comes later, and the place is free now.
    if (held) this.#release(key, held)
  }

  #release(key: unknown, held: Held): void {
    if (this.#held.get(key) !== held) return
    this.#held.delete(key)
    const { network } = held
    if (network === undefined) return
    const left = this.#countOf(network) - 1
    if (left > 0) this.#counts.set(network, left)
    else this.#counts.delete(network)
  }

  #countOf(network: string | undefined): number {
    return network === undefined ? 0 : (this.#counts.get(network) ?? 0)
  }
}

/** The same for the TCP socket and the TLS socket of a connection. Unix sockets have no address. */
function keyOf(socket: Socket): unknown {
  const { remoteAddress, remotePort } = socket
  return remotePort === undefined ? socket : `${remoteAddress} ${remotePort}`
}
