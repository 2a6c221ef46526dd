import {
  type ClientRequest,
  createServer,
  type IncomingMessage,
  request,
  type ServerResponse,
} from 'node:http'
import type { AddressInfo, Socket } from 'node:net'

export interface RecordedRequest {
  method: string
  /** With its query. */
  path: string
  /** In their original order: name, value, name, value. */
  raw_headers: readonly string[]
  /** The store's answer; undefined while there is none, and when the client went away before it. */
  status: number | undefined
}

/** The blob host of the client: it passes everything on to the store unchanged, and records it. */
export interface RecordingHost {
  readonly origin: string
  readonly requests: RecordedRequest[]
  /** Stops the next request after its head; resolves when the head has arrived. */
  swallowNext(): Promise<void>
  close(): Promise<void>
}

export async function startRecordingHost(store_port: number): Promise<RecordingHost> {
  const requests: RecordedRequest[] = []
  const sockets = new Set<Socket>()
  let swallow: (() => void) | undefined

  const server = createServer((incoming, response) => {
    const { method = '', url: path = '', rawHeaders: raw_headers } = incoming
    const recorded: RecordedRequest = { method, path, raw_headers, status: undefined }
    requests.push(recorded)
    if (!swallow) return handOn(store_port, incoming, response, recorded)
    swallow()
    swallow = undefined
    incoming.resume()
  })
  server.on('connection', (socket: Socket) => {
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    swallowNext: () =>
      new Promise((resolve) => {
        swallow = resolve
      }),
    async close() {
      for (const socket of sockets) socket.destroy()
      await new Promise<void>((resolve) => server.close(() => resolve()))
    },
  }
}

function handOn(
  port: number,
  incoming: IncomingMessage,
  response: ServerResponse,
  recorded: RecordedRequest,
): void {
  const onward: ClientRequest = request({
    host: '127.0.0.1',
    port,
    agent: false,
    method: recorded.method,
    path: recorded.path,
    headers: recorded.raw_headers,
  })
  onward.on('response', (answer) => {
    recorded.status = answer.statusCode
    response.writeHead(answer.statusCode!, answer.statusMessage, answer.rawHeaders)
    answer.pipe(response)
    answer.on('end', () => onward.destroy())
  })
  onward.on('error', () => response.destroy())
  response.on('close', () => onward.destroy())
  incoming.pipe(onward)
}
