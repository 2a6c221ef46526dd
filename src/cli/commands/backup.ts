import { resolve } from 'node:path'
import { counted, formatBytes, shellWord } from '../../base/text/format.ts'
import { system_clock } from '../../base/time/time.ts'
import type { Config } from '../../config/config.ts'
import { backUpLedger, restoreLedger } from '../../ledger/backup.ts'
import { giveToOwner } from '../../ledger/file/state-directory.ts'
import { readCovered } from '../../prompts/configure-prompts.ts'
import { argument, defineCommand, flag } from '../command.ts'
import { withLedger } from '../daemon/open.ts'
import { exit_codes } from '../exit-codes.ts'
import { loadFor } from '../on-paths.ts'
import { targetFile } from '../place.ts'
import { print, printNote, printWarning } from '../text/print.ts'
import type { Terminal } from '../text/terminal.ts'

export const backup = defineCommand({
  options: (yargs) =>
    yargs
      .positional('file', argument('the path of the copy'))
      .option('force', flag('overwrite an earlier backup')),
  async run({ config: named, file: text, force }, terminal) {
    const { config, file } = await loadFor(terminal, { file: named }, ({ config }, paths) => ({
      file: targetFile(text, config, process.cwd(), paths),
    }))
    const { bytes, files } = backUpLedger(config.state_dir, file, { force })
    const known = counted(files, 'file')
    print(terminal, `${file}: ${formatBytes(bytes)}, the ledger of ${known}`)
    terminal.err('to restore it, stop the daemon and run:')
    terminal.err(
      `  sluice restore ${shellWord(file)}${named === undefined ? '' : ` --config ${shellWord(named)}`}`,
    )
    return exit_codes.ok
  },
})

export const restore = defineCommand({
  options: (yargs) => yargs.positional('file', argument('what `sluice backup` wrote')),
  async run({ config: named, file: text }, terminal) {
    const { config } = await loadFor(terminal, { file: named })
    const file = resolve(text)
    const { aside } = restoreLedger(config.state_dir, file, system_clock.now_ms())
    await restoreCovered(config, terminal)
    giveToOwner(config.state_dir)
    print(terminal, `the ledger is restored from ${file}`)
    if (aside !== undefined) print(terminal, `the ledger before that is kept as ${aside}`)
    printNote(
      terminal,
      'files uploaded since the backup are recognised by their bytes and not uploaded again: start `sluice run` or `sluice sync`',
    )
    printNote(
      terminal,
      '`sluice run` compares the ready files with the service as soon as it starts',
    )
    return exit_codes.ok
  },
})

/** Records from the manifests beside the reports what runs after the backup have covered. */
async function restoreCovered(config: Config, terminal: Terminal): Promise<void> {
  await withLedger(config, async (ledger) => {
    for (const { name, project_id, report } of config.prompts) {
      const { facts, bad } = await readCovered(report.dir, { prompt: name, project_id })
      await ledger.record(facts)
      for (const { path, why } of bad) {
        printWarning(terminal, `${path}: ${why}; a prompt may cover its contents again`)
      }
    }
  })
}
