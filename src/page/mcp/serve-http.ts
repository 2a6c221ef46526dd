import { type HttpApp, type HttpReply, type HttpRequest, httpFault } from '../../base/net/http-server-app.ts'
import { viewerOf } from '../access/page-store.ts'
import { bearerIn } from '../access/recognise.ts'
import type { Viewer } from '../access/viewer.ts'
import { plainAnswer } from '../error-answer.ts'
import type { PageTools } from '../page-tools.ts'

/** Serves agents: the Streamable HTTP of MCP, without sessions. Only a token counts here, no cookie. */
export function serveAgents(app: HttpApp, tools: PageTools): void {
  function ownerOf({ headers }: HttpRequest): Viewer | undefined {
    const token = bearerIn(headers.authorization)
    const user = token === undefined ? undefined : tools.store.userOfToken(token)
    return user && viewerOf(user, 'token')
  }

  void app.register(async (agents) => {
    agents.setErrorHandler((error, _request, reply) => {
      const { status, message } = plainAnswer(httpFault(error), tools)
      return refuse(reply, status, message)
    })
    agents.addHook('onRequest', async (request, reply) => {
      request.viewer = ownerOf(request)
      if (request.viewer) return
      void reply.header('www-authenticate', 'Bearer realm="sluice"')
      return refuse(reply, 401, 'this needs the token of a user: `sluice page token NAME` makes one')
    })
    agents.route({
      method: ['GET', 'HEAD', 'DELETE'],
      url: '/mcp',
      handler: (_request, reply) => refuse(reply.header('allow', 'POST'), 405, 'send messages by POST'),
    })
    agents.post('/mcp', async (request, reply) => {
      // A batch would hold the thread for as long as all of its calls take.
      if (Array.isArray(request.body)) return refuse(reply, 400, 'send one message at a time')
      const left = new AbortController()
      reply.raw.once('close', () => left.abort())
      const { answerRequest } = await import('./mcp-server.ts')
      const headers = Object.entries(request.headers).map(([name, value]): [string, string] => [name, String(value)])
      const of_agent = new Request('http://localhost/mcp', { method: 'POST', headers })
      // A proxy must pass on each note of progress at once.
      void reply.header('x-accel-buffering', 'no')
      return reply.send(await answerRequest({ tools, viewer: request.viewer! }, of_agent, request.body, left.signal))
    })
  })
}

function refuse(reply: HttpReply, status: number, message: string): HttpReply {
  return reply.status(status).send({ jsonrpc: '2.0', error: { code: -32_000, message }, id: null })
}
