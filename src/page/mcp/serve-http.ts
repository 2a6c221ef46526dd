import { leftSignal } from '../../base/net/http-server.ts'
import { type HttpApp, type HttpReply, httpFault } from '../../base/net/http-server-app.ts'
import { SluiceError } from '../../base/run/errors.ts'
import type { AskAnswer } from '../../control/control-verbs.ts'
import { viewerOf } from '../access/page-store.ts'
import { bearerIn } from '../access/recognise.ts'
import type { Viewer } from '../access/viewer.ts'
import { plainAnswer } from '../error-answer.ts'
import type { PageTools } from '../page-tools.ts'
import type { AskWish } from '../reads/question-rows.ts'
import { parse_error, rpcError, server_error } from './json-rpc.ts'

const last_with_batches = '2025-03-26'

/** Serves agents by the Streamable HTTP of MCP, without sessions. Only a token counts here. */
export function serveAgents(app: HttpApp, tools: PageTools): void {
  /** The page keeps the question, so its limits hold, and an answer that comes late is not lost. */
  async function ask(viewer: Viewer, wish: AskWish): Promise<AskAnswer> {
    const id = await tools.asking.begin(viewer, wish)
    await tools.asking.ended(id)
    const { answer, error = 'the answer was lost' } = await tools.asking.one(viewer, id)
    if (answer) return answer
    throw new SluiceError({ code: 'answer.failed', message: error })
  }

  void app.register(async (agents) => {
    agents.setErrorHandler((error, _request, reply) => {
      const { status, code, message } = plainAnswer(httpFault(error), tools)
      return refuse(reply, status, message, code === 'http.body_invalid' ? parse_error : undefined)
    })
    agents.addHook('onRequest', async (request, reply) => {
      const token = bearerIn(request.headers.authorization)
      const user = token === undefined ? undefined : tools.store.userOfToken(token)
      request.viewer = user && viewerOf(user, 'token')
      if (request.viewer) return
      void reply.header('www-authenticate', 'Bearer realm="sluice"')
      return refuse(
        reply,
        401,
        'this needs the token of a user: `sluice page token NAME` makes one',
      )
    })
    agents.route({
      method: ['GET', 'HEAD', 'DELETE'],
      url: '/mcp',
      handler: (_request, reply) =>
        refuse(reply.header('allow', 'POST'), 405, 'send messages by POST'),
    })
    agents.post('/mcp', async (request, reply) => {
      const headers = request.headers as Record<string, string>
      // Only the protocol before that header has batches.
      const { 'mcp-protocol-version': protocol = last_with_batches } = headers
      if (Array.isArray(request.body) && protocol > last_with_batches)
        return refuse(reply, 400, `protocol ${protocol} has no batches: send one message at a time`)
      const { answerRequest } = await import('./mcp-server.ts')
      // The end of its connection ends the call of an agent.
      const signal = leftSignal(reply.raw)
      const of_agent = new Request('http://localhost/mcp', { method: 'POST', headers, signal })
      // A proxy must pass on each note of progress at once.
      void reply.header('x-accel-buffering', 'no')
      const viewer = request.viewer!
      const address = `${request.protocol}://${request.host}`
      const agent = { tools, viewer, address, ask: (wish: AskWish) => ask(viewer, wish) }
      return reply.send(await answerRequest(agent, of_agent, request.body))
    })
  })
}

function refuse(reply: HttpReply, status: number, message: string, code = server_error): HttpReply {
  return reply.status(status).send(rpcError(code, message))
}
