import {
  createServer as createHttpServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import type { Service } from '../../rig/local-service.ts'

/** Interval at which it takes what a socket holds, some 64 KiB: about three megabytes a second. */
const usual_tick_ms = 20

/**
 * A slow line between the daemon and the blob store of the local service; other calls go straight.
 * Upload addresses lead here, because their signatures do not cover the host.
 */
export class SlowLine {
  api = ''
  /** Bytes that went over the slow line. */
  passed_bytes = 0
  #blob = ''
  readonly #service: Service
  readonly #tick_ms: number
  readonly #servers: Server[] = []
  readonly #sockets = new Set<Socket>()

  constructor(service: Service, tick_ms = usual_tick_ms) {
    this.#service = service
    this.#tick_ms = tick_ms
  }

  async listen(): Promise<void> {
    this.#blob = await this.#open(createServer((socket) => this.#passSlowly(socket)))
    this.api = await this.#open(
      createHttpServer((incoming, response) => this.#passCall(incoming, response)),
    )
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await Promise.all(
      this.#servers.map((server) => new Promise((resolve) => server.close(resolve))),
    )
  }

  async #open(server: Server): Promise<string> {
    this.#servers.push(server)
    server.on('connection', (socket: Socket) => this.#keep(socket))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  }

  #keep(socket: Socket): void {
    this.#sockets.add(socket)
    socket.once('close', () => this.#sockets.delete(socket)).on('error', () => socket.destroy())
  }

  #passCall(incoming: IncomingMessage, response: ServerResponse): void {
    const { method, url = '', headers } = incoming
    const { host: _host, ...others } = headers
    const outgoing = request(
      new URL(url, this.#service.api),
      { method, headers: others, agent: false },
      (answer) => {
        const pieces: Buffer[] = []
        answer.on('data', (piece: Buffer) => pieces.push(piece))
        answer.on('end', () => {
          const text = Buffer.concat(pieces).toString().replaceAll(this.#service.blob, this.#blob)
          const { 'content-length': _length, ...heads } = answer.headers
          response.writeHead(answer.statusCode!, heads).end(text)
        })
      },
    )
    outgoing.on('error', () => response.destroy())
    incoming.pipe(outgoing)
  }

  #passSlowly(from: Socket): void {
    const to = connect(Number(new URL(this.#service.blob).port), '127.0.0.1')
    this.#keep(to)
    to.pipe(from)
    // With a listener it reads only as much as its buffer holds; the rest waits with its sender.
    from.on('readable', () => {})
    const pull = setInterval(() => {
      if (to.writableNeedDrain) return
      const piece = from.read() as Buffer | null
      if (!piece) return
      this.passed_bytes += piece.length
      to.write(piece)
    }, this.#tick_ms)
    from.once('close', () => {
      clearInterval(pull)
      to.destroy()
    })
    to.once('close', () => from.destroy())
  }
}
