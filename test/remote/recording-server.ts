import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
} from 'node:http'
import { createServer as createTlsServer } from 'node:https'
import type { AddressInfo, Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { test_certificate, test_key } from './test-certificate.ts'

export interface Recorded {
  method: string
  path: string
  headers: IncomingMessage['headers']
  /** Names in their original case and order. */
  header_names: string[]
  body: Buffer
  /** False when the request broke off before its end. */
  whole: boolean
}

export interface PlainAnswer {
  status: number
  headers?: Record<string, string>
  body?: string | object
}

export type Answer = PlainAnswer | ((request: Recorded, response: ServerResponse) => void)

export interface RecordingServer {
  origin: string
  port: number
  /** Every request whose body has ended, whole or not. */
  requests: Recorded[]
  /** Answers for the next requests, in order; the last one is repeated. */
  answers: Answer[]
  connections(): number
  close(): Promise<void>
}

/**
 * Starts a real server on a free loopback port; it is closed after the test. `early` gets each
 * request when its head has arrived, and answers it instead.
 */
export async function startServer(
  answers: Answer[] = [],
  tls = false,
  early?: RequestListener,
): Promise<RecordingServer> {
  const requests: Recorded[] = []
  const listener: RequestListener = (request, response) => {
    if (early) return early(request, response)
    const pieces: Buffer[] = []
    const recorded: Recorded = {
      method: request.method ?? '',
      path: request.url ?? '',
      headers: request.headers,
      header_names: request.rawHeaders.filter((_, index) => index % 2 === 0),
      body: Buffer.alloc(0),
      whole: false,
    }
    request.on('data', (piece: Buffer) => pieces.push(piece))
    request.on('error', () => {})
    request.on('close', () => {
      if (requests.includes(recorded)) return
      recorded.body = Buffer.concat(pieces)
      requests.push(recorded)
    })
    request.on('end', () => {
      recorded.body = Buffer.concat(pieces)
      recorded.whole = true
      requests.push(recorded)
      const answer = answers.length > 1 ? answers.shift() : answers[0]
      if (typeof answer === 'function') answer(recorded, response)
      else send(response, answer ?? { status: 200 })
    })
  }
  const server = tls
    ? createTlsServer({ key: test_key, cert: test_certificate }, listener)
    : createServer(listener)
  const { port, close, count } = await listen(server)
  const origin = `${tls ? 'https' : 'http'}://127.0.0.1:${port}`
  return { origin, port, requests, answers, connections: count, close }
}

export function send(response: ServerResponse, answer: PlainAnswer): void {
  const body = typeof answer.body === 'object' ? JSON.stringify(answer.body) : (answer.body ?? '')
  const type: Record<string, string> =
    typeof answer.body === 'object' ? { 'content-type': 'application/json' } : {}
  response.writeHead(answer.status, { ...type, ...answer.headers })
  response.end(body)
}

/** Listens on a free loopback port and knows its sockets, so that closing ends them too. */
export async function listen(server: Server | import('node:net').Server) {
  const sockets = new Set<Socket>()
  let count = 0
  server.on('connection', (socket: Socket) => {
    count++
    sockets.add(socket)
    socket.on('error', () => {})
    socket.on('close', () => sockets.delete(socket))
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const close = async () => {
    for (const socket of sockets) socket.destroy()
    await new Promise<void>((resolve) => server.close(() => resolve()))
  }
  onTestFinished(close)
  return { port: (server.address() as AddressInfo).port, close, count: () => count }
}
