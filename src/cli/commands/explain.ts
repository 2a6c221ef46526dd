import { system_clock } from '../../base/time.ts'
import { loadConfig } from '../../config/load.ts'
import { explain } from '../../inspect/explain.ts'
import type { Command, GlobalOptions } from '../command.ts'
import { daemonStatus } from '../daemon-status.ts'
import { exit_codes } from '../exit-codes.ts'
import { explanationLines } from '../explain-text.ts'
import { withLedgerView } from '../open-view.ts'
import { placeOf } from '../place.ts'
import { toned } from '../tones.ts'

interface Options extends GlobalOptions {
  path: string
  json: boolean
}

export const command: Command<Options> = {
  options: (yargs) =>
    yargs
      .positional('path', {
        type: 'string',
        demandOption: true,
        describe: 'a file, by where it is or as FOLDER/PATH',
      })
      .option('json', { type: 'boolean', default: false, describe: 'one JSON object' }),
  async run({ config: named, path, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const place = placeOf(path, config.folders, process.cwd())
    const daemon = await daemonStatus(config.state_dir)
    const now_ms = system_clock.now_ms()
    const explanation = await withLedgerView(config.state_dir, (ledger) =>
      explain({ config, ledger, place, daemon_runs: daemon.state !== 'stopped', now_ms }),
    )
    if (json) terminal.out(JSON.stringify(explanation, null, 2))
    else {
      for (const line of explanationLines(explanation, terminal.width)) terminal.out(toned(line, terminal.styles))
    }
    return exit_codes.ok
  },
}
