import type { IncomingMessage, ServerResponse } from 'node:http'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

export interface Received {
  method: string
  url: string
  headers: IncomingMessage['headers']
  // biome-ignore lint/suspicious/noExplicitAny: the tests read any body
  body: any
}

export type Reply = (response: ServerResponse, received: Received) => void

export interface OutsideServer {
  origin: string
  received: Received[]
  /** Sets the next answers, each for one request; the last one is repeated. */
  reply(...replies: Reply[]): void
}

/**
 * A real HTTP server on loopback that keeps its requests. It stands for a model, a search engine,
 * or a host that must not be asked.
 */
export async function outsideServer(...first: Reply[]): Promise<OutsideServer> {
  const received: Received[] = []
  let replies = first
  const server = createServer(async (request, response) => {
    const pieces: Buffer[] = []
    for await (const piece of request) pieces.push(piece as Buffer)
    const text = Buffer.concat(pieces).toString('utf8')
    const { method = '', url = '', headers } = request
    const entry = { method, url, headers, body: text === '' ? undefined : JSON.parse(text) }
    received.push(entry)
    const reply = replies.length > 1 ? replies.shift()! : replies[0]!
    reply(response, entry)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(async () => {
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  })
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    received,
    reply: (...next) => {
      replies = next
    },
  }
}

export function json(value: unknown, status = 200, headers: Record<string, string> = {}): Reply {
  return (response) => {
    response
      .writeHead(status, { 'content-type': 'application/json', ...headers })
      .end(JSON.stringify(value))
  }
}

/** A chat completion, with the usual fields of a server around it, and a true count of tokens. */
export function completion(content: unknown, finish_reason = 'stop', usage?: object): Reply {
  return (response, received) => {
    const prompt_tokens = Math.ceil(JSON.stringify(received.body).length / 4)
    const body = {
      id: 'chatcmpl-1',
      object: 'chat.completion',
      created: 1,
      model: 'whatever',
      choices: [
        {
          index: 0,
          message: { role: 'assistant', content, refusal: null },
          logprobs: null,
          finish_reason,
        },
      ],
      usage: { prompt_tokens, completion_tokens: 1, total_tokens: prompt_tokens + 1, ...usage },
    }
    json(body)(response, received)
  }
}

/** Takes the request and never answers. */
export const silence: Reply = () => {}
