import { once } from 'node:events'
import { parseJSONRPCMessage } from '@modelcontextprotocol/server'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { messageOf } from '../../base/run/errors.ts'
import { aborted, minute_ms, system_clock, within } from '../../base/time/time.ts'
import { local_operator } from '../../page/access/recognise.ts'
import { createMcpServer } from '../../page/mcp/mcp-server.ts'
import { messageLines } from '../../page/mcp/message-lines.ts'
import { OpenRequests } from '../../page/mcp/open-requests.ts'
import type { PageNote } from '../../page/page-tools.ts'
import { foldersOf, questionOf } from '../../page/reads/asking.ts'
import type { AskWish } from '../../page/reads/question-rows.ts'
import { withDaemon } from '../../page/reads/with-daemon.ts'
import { defineCommand } from '../command.ts'
import { withStopSignals } from '../daemon/stop-signals.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { printError } from '../text/print.ts'

/** Limit for the calls under way when the input ends. A question takes minutes. */
const max_end_ms = 10 * minute_ms

const without_daemon =
  'start one with `sluice run`, and ask again; in a terminal, `sluice ask QUESTION` needs no daemon'

class CountedTransport extends StdioServerTransport {
  readonly requests = new OpenRequests()

  override async send(message: Parameters<StdioServerTransport['send']>[0]): Promise<void> {
    try {
      await super.send(message)
    } finally {
      this.requests.sent(message)
    }
  }
}

/**
 * An agent starts it, and ends it by closing its standard input. The calls under way are answered
 * first: the input may be a file, or the pipe of a script.
 */
export const command = defineCommand({
  options: (yargs) => yargs,
  async run({ config: file }, terminal) {
    let { config } = await loadFor(terminal, { file })
    /** The last fault of the file that was printed. */
    let printed = ''
    // An agent may live for days. A faulty file changes nothing, as for the daemon.
    const refresh = async () => {
      try {
        config = (await loadFor(terminal, { file })).config
        printed = ''
      } catch (error) {
        if (messageOf(error) !== printed) printError(error, terminal)
        printed = messageOf(error)
      }
    }
    const tools = {
      get config() {
        return config
      },
      clock: system_clock,
      log: ({ fields }: PageNote) => printError(fields?.error, terminal),
    }
    const ask = (wish: AskWish, stopped: AbortSignal) =>
      withDaemon(
        tools,
        (daemon) => {
          void aborted(stopped).then(() => daemon.close())
          const all = tools.config.folders.map(({ name }) => name)
          return daemon.ask(questionOf(wish, foldersOf(wish, all)))
        },
        without_daemon,
      )
    const agent = { tools, viewer: local_operator, ask, refresh }
    await withStopSignals(async ({ first }) => {
      const answer = (error: object) => process.stdout.write(`${JSON.stringify(error)}\n`)
      const lines = messageLines(
        (message) => transport.requests.came(parseJSONRPCMessage(message)),
        answer,
        () => within(transport.requests.none(), max_end_ms, system_clock, first),
      )
      const transport = new CountedTransport(lines)
      const ended = once(lines, 'end', { signal: first }).catch(() => {})
      process.stdin.pipe(lines)
      const served = serveStdio(() => createMcpServer(agent), { transport })
      await ended
      await served.close()
      process.stdin.unpipe(lines).pause()
    })
    return exit_codes.ok
  },
})
