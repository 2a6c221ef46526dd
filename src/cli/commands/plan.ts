import { system_clock } from '../../base/time/time.ts'
import { loadConfig } from '../../config/load.ts'
import { planUploads } from '../../inspect/plan/plan.ts'
import { defineCommand, flag } from '../command.ts'
import { withLedgerView } from '../daemon/ledger-fault.ts'
import { exit_codes } from '../exit-codes.ts'
import { planLines } from '../text/plan-text.ts'
import { toned } from '../text/say-whole.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('hash', flag('read the files, to tell known bytes from new ones'))
      .option('json', flag('one JSON object')),
  async run({ config: named, hash, json }, terminal) {
    const { config } = loadConfig({ file: named })
    const plan = await withLedgerView(config.state_dir, (ledger) =>
      planUploads({ config, ledger, hash, now_ms: system_clock.now_ms() }),
    )
    if (json) terminal.out(JSON.stringify(plan, null, 2))
    else for (const line of planLines(plan, terminal.width)) terminal.out(toned(line, terminal.styles))
    return plan.folders.every(({ seen }) => seen?.complete) ? exit_codes.ok : exit_codes.incomplete
  },
})
