import { system_clock } from '../../base/time.ts'
import { loadConfig } from '../../config/load.ts'
import { planUploads } from '../../inspect/plan.ts'
import type { Command, GlobalOptions } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { withLedgerView } from '../open-view.ts'
import { planLines } from '../plan-text.ts'
import { toned } from '../tones.ts'

interface Options extends GlobalOptions {
  hash: boolean
  json: boolean
}

export const command: Command<Options> = {
  options: (yargs) =>
    yargs
      .option('hash', {
        type: 'boolean',
        default: false,
        describe: 'read the files, to tell known bytes from new ones',
      })
      .option('json', { type: 'boolean', default: false, describe: 'one JSON object' }),
  async run({ config: named, hash, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const plan = await withLedgerView(config.state_dir, (ledger) =>
      planUploads({ config, ledger, hash, now_ms: system_clock.now_ms() }),
    )
    if (json) terminal.out(JSON.stringify(plan, null, 2))
    else for (const line of planLines(plan, terminal.width)) terminal.out(toned(line, terminal.styles))
    return plan.folders.every(({ seen }) => seen?.complete) ? exit_codes.ok : exit_codes.incomplete
  },
}
