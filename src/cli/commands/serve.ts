import { startService } from '../../service/service.ts'
import { defineCommand } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { serveOptions, serviceOptions } from './serve-options.ts'
import { dataDirOption } from './serve-verb.ts'

export const command = defineCommand({
  options: (yargs) => serveOptions(dataDirOption(yargs)),
  async run(options, terminal) {
    // No one reads the log of requests here.
    const log = { max_logged_requests: 0, log: (line: string) => terminal.err(line) }
    const service = await startService({ ...serviceOptions(options), ...log })
    // Listen for the signal first: a caller may send one as soon as it has read the line.
    const stopped = signalled()
    terminal.out(JSON.stringify({ api: service.api, blob: service.blob }))
    await stopped
    await service.close()
    return exit_codes.ok
  },
})

/** Resolves with the first SIGINT or SIGTERM. Then a second one ends the process at once. */
function signalled(): Promise<void> {
  return new Promise((resolve) => {
    function stop(): void {
      process.off('SIGINT', stop).off('SIGTERM', stop)
      resolve()
    }
    process.on('SIGINT', stop).on('SIGTERM', stop)
  })
}
