import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import type { Fields } from './quick-config.ts'

interface Passing {
  method: string
  path: string
  /** Fields of a request with a body. */
  body: Fields | undefined
}

export interface Answer {
  status: number
  body: Fields
}

export interface Change {
  /** The path that the service gets. */
  path?: (path: string) => string
  /** Answers instead of the service, which never gets the call. */
  instead?: (request: Passing) => Answer | undefined
  /** Replaces the answer of the service. */
  changed?: (request: Passing, answer: Answer) => Answer | undefined
}

/**
 * A server between the client and the API that forwards calls and answers. Closed after the test.
 */
export async function startInBetween(api: string, change: Change): Promise<{ address: string }> {
  const server = createServer(async (request, response) => {
    const { method = 'GET', url: path = '/', headers } = request
    const sent = await text(request)
    const call = { method, path, body: sent === '' ? undefined : (JSON.parse(sent) as Fields) }
    const answer = change.instead?.(call) ?? (await passOn())
    response
      .writeHead(answer.status, { 'content-type': 'application/json' })
      .end(JSON.stringify(answer.body))

    async function passOn(): Promise<Answer> {
      const kept = ['x-api-key', 'x-project-id', 'content-type'] as const
      const passed = await fetch(api + (change.path?.(path) ?? path), {
        method,
        headers: kept.flatMap((name) =>
          headers[name] === undefined ? [] : [[name, String(headers[name])]],
        ) as never,
        ...(sent === '' ? {} : { body: sent }),
      })
      const received = await passed.text()
      const answer = {
        status: passed.status,
        body: (received === '' ? {} : JSON.parse(received)) as Fields,
      }
      return change.changed?.(call, answer) ?? answer
    }
  })
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  return { address: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}
