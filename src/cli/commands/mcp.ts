import { StdioServerTransport } from '@modelcontextprotocol/sdk/server/stdio.js'
import { aborted, system_clock } from '../../base/time/time.ts'
import { loadConfig } from '../../config/load.ts'
import { local_operator } from '../../page/access/recognise.ts'
import { createMcpServer } from '../../page/mcp/mcp-server.ts'
import type { PageNote } from '../../page/page-tools.ts'
import { defineCommand } from '../command.ts'
import { withStopSignals } from '../daemon/stop-signals.ts'
import { exit_codes } from '../exit-codes.ts'
import { printError } from '../text/print.ts'

/** An agent starts it, and ends it by closing its standard input. */
export const command = defineCommand({
  options: (yargs) => yargs,
  async run({ config: file }, terminal) {
    // A fault of the configuration ends it now, instead of failing every call.
    loadConfig({ file })
    const tools = {
      // An agent may live for days: each call reads the configuration as it is then.
      get config() {
        return loadConfig({ file }).config
      },
      clock: system_clock,
      log: ({ fields }: PageNote) => printError(fields?.error, terminal),
    }
    const server = createMcpServer({ tools, viewer: local_operator })
    await withStopSignals(async ({ first }) => {
      const ended = new Promise<void>((resolve) => {
        server.onclose = resolve
      })
      process.stdin.once('end', () => void server.close())
      void aborted(first).then(() => server.close())
      await server.connect(new StdioServerTransport())
      await ended
    })
    return exit_codes.ok
  },
})
