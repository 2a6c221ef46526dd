import { basename, dirname, join, resolve } from 'node:path'
import { isBelow } from '../../base/files/path-below.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { counted, formatBytes, shellWord } from '../../base/text/format.ts'
import type { Config } from '../../config/config.ts'
import { loadConfig } from '../../config/load.ts'
import { realPath } from '../../config/resolve/local-paths.ts'
import { backUpLedger } from '../../ledger/backup.ts'
import { argument, defineCommand, flag } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { print } from '../text/print.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs.positional('file', argument('where the copy is to be')).option('force', flag('write over an earlier backup')),
  async run({ config: named, file: text, force }, terminal) {
    const { config } = loadConfig({ file: named })
    const file = backupTarget(text, config, process.cwd())
    const { bytes, files } = backUpLedger(config.state_dir, file, { force })
    const known = counted(files, 'file')
    print(terminal, `${file}: ${formatBytes(bytes)}, what is known of ${known}`)
    terminal.err('the way back, with the daemon stopped:')
    terminal.err(`  sluice restore ${shellWord(file)}${named === undefined ? '' : ` --config ${shellWord(named)}`}`)
    return exit_codes.ok
  },
})

/**
 * The path of the copy. Error `usage.target`: it is in a watched folder, where it would be sent, or
 * in the state directory.
 */
export function backupTarget(text: string, { folders, state_dir }: Config, cwd: string): string {
  const written = resolve(cwd, text)
  const file = join(realPath(dirname(written)), basename(written))
  const folder = folders.find(({ path }) => isBelow(file, realPath(path)))
  if (folder) throw refused(`${file} lies in the watched folder ${folder.name}: it would be sent`)
  if (isBelow(file, realPath(state_dir)))
    throw refused(`${file} lies in the state directory, beside what it is a copy of`)
  return file
}

function refused(message: string): SluiceError {
  return new SluiceError({ code: 'usage.target', message, hint: 'name a file elsewhere, best on another disk' })
}
