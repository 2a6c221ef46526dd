import { formatBytes, formatCount } from '../../base/format.ts'
import { shellWord } from '../../base/shell-word.ts'
import { loadConfig } from '../../config/load.ts'
import { backUpLedger } from '../../ledger/backup.ts'
import { backupTarget } from '../backup-target.ts'
import type { Command, GlobalOptions } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { sayWhole } from '../say-whole.ts'

interface Options extends GlobalOptions {
  file: string
  force: boolean
}

export const command: Command<Options> = {
  options: (yargs) =>
    yargs
      .positional('file', { type: 'string', demandOption: true, describe: 'where the copy is to be' })
      .option('force', { type: 'boolean', default: false, describe: 'write over an earlier backup' }),
  async run({ config: named, file: text, force }, terminal) {
    const { config } = loadConfig({ file: named })
    const file = backupTarget(text, config, process.cwd())
    const { bytes, files } = backUpLedger(config.state_dir, file, { force })
    const known = `${formatCount(files)} ${files === 1 ? 'file' : 'files'}`
    sayWhole(terminal, `${file}: ${formatBytes(bytes)}, what is known of ${known}`)
    terminal.err('the way back, with the daemon stopped:')
    terminal.err(`  sluice restore ${shellWord(file)}${named === undefined ? '' : ` --config ${shellWord(named)}`}`)
    return exit_codes.ok
  },
}
