import { system_clock } from '../../base/time/time.ts'
import { loadConfig } from '../../config/load.ts'
import { pauseText } from '../../status/text/text-health.ts'
import { pauseStatus } from '../../status/view.ts'
import { defineCommand } from '../command.ts'
import { readPause } from '../daemon/pause.ts'
import { tellDaemon } from '../daemon/tell-daemon.ts'
import { exit_codes } from '../exit-codes.ts'
import { sayAll } from '../text/say-whole.ts'

export const command = defineCommand({
  options: (yargs) => yargs,
  async run({ config: named }, terminal) {
    const { config } = loadConfig({ file: named })
    const pause = await readPause(config.state_dir)
    if (!pause) {
      terminal.out('nothing was paused')
      return exit_codes.ok
    }
    const is_running = await tellDaemon(config, {
      to_daemon: (control) => control.resume(),
      to_ledger: () => [{ type: 'resumed' }],
    })
    sayAll(terminal, `resumed; it was ${pauseText(pauseStatus(pause), system_clock.now_ms())}`)
    if (!is_running) {
      sayAll(terminal, 'no daemon is running: `sluice run` or `sluice sync` takes it from here', { on: 'err' })
    }
    return exit_codes.ok
  },
})
