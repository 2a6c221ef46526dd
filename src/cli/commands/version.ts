import { programVersion } from '../../base/version.ts'
import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'

export const command: Command = {
  options: (yargs) => yargs,
  async run(_options, terminal) {
    terminal.out(programVersion())
    return exit_codes.ok
  },
}
