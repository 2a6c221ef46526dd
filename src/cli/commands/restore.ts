import { resolve } from 'node:path'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { restoreLedger } from '../../ledger/backup.ts'
import { giveToOwner } from '../../ledger/file/state-directory.ts'
import { restoreTold } from '../../prompts/report/restore-told.ts'
import { argument, defineCommand } from '../command.ts'
import { withLedger } from '../daemon/open.ts'
import { exit_codes } from '../exit-codes.ts'
import { print, printNote, printWarning } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

export const command = defineCommand({
  options: (yargs) => yargs.positional('file', argument('what `sluice backup` wrote')),
  async run({ config: named, file: text }, terminal) {
    const { config } = loadConfig({ file: named })
    const file = resolve(text)
    const { aside } = restoreLedger(config.state_dir, file, system_clock.now_ms())
    await restoreCovered(config, terminal)
    giveToOwner(config.state_dir)
    print(terminal, `the ledger is that of ${file} again`)
    if (aside !== undefined) print(terminal, `the one before it is ${aside}`)
    printNote(terminal, 'what came in since is found by its bytes, and not sent again: `sluice run` or `sluice sync`')
    printNote(terminal, 'what it calls ready is compared with the service as soon as `sluice run` begins')
    return exit_codes.ok
  },
})

/** Manifests beside the reports say which contents the runs after the backup have covered. */
async function restoreCovered(config: Config, terminal: Terminal): Promise<void> {
  await withLedger(config, async (ledger) => {
    for (const { name, project_id, report } of config.prompts) {
      const { facts, bad } = await restoreTold(report.dir, { prompt: name, project_id })
      await ledger.record(facts)
      for (const { path, why } of bad) {
        printWarning(terminal, `${path}: ${why}; a prompt may cover its contents again`)
      }
    }
  })
}
