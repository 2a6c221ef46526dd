import { SluiceError } from '../../base/errors.ts'
import { loadConfig } from '../../config/load.ts'
import { connectControl } from '../../control/control-client.ts'
import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { outcomeText } from '../reloader.ts'

export const command: Command = {
  options: (yargs) => yargs,
  async run({ config: named }, terminal) {
    const { config } = loadConfig({ file: named })
    const control = await connectControl(config.state_dir)
    if (!control) {
      throw new SluiceError({
        code: 'control.nobody',
        message: `no daemon is running on ${config.state_dir}: there is nothing to reload`,
        hint: 'the configuration is in order; the next `sluice run` reads it',
      })
    }
    try {
      const { pid } = control.presence
      terminal.out(`reloaded (process ${pid}): ${outcomeText(await control.reload())}`)
    } finally {
      await control.close()
    }
    return exit_codes.ok
  },
}
