import { system_clock } from '../../base/time/time.ts'
import { defineCommand, flag } from '../command.ts'
import { listenForStop } from '../daemon/stop-signals.ts'
import { runDemo } from '../demo/demo.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('folder', {
        type: 'string',
        describe: 'a folder to try it with, only read; without one, a small sample',
      })
      .option('stay', flag('keep the service and the daemon running until Ctrl-C')),
  async run({ folder, stay }, terminal) {
    const signals = listenForStop()
    try {
      return await runDemo({ folder, stay, terminal, clock: system_clock, signals })
    } finally {
      signals.end()
    }
  },
})
