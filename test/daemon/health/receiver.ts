import { createServer } from 'node:http'
import { onTestFinished } from 'vitest'

export interface Received {
  path: string
  body: Record<string, unknown>
  id: string
}

/** A receiver of webhooks and pings on this machine. */
export async function openReceiver() {
  const received: Received[] = []
  const state = { status: 200 }
  const server = createServer((request, response) => {
    let text = ''
    request.setEncoding('utf8')
    request.on('data', (piece: string) => {
      text += piece
    })
    request.on('end', () => {
      const id = String(request.headers['idempotency-key'] ?? '')
      received.push({ path: request.url ?? '', body: text === '' ? {} : JSON.parse(text), id })
      response.writeHead(state.status).end()
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  const { port } = server.address() as { port: number }
  return { url: `http://127.0.0.1:${port}`, received, state }
}
