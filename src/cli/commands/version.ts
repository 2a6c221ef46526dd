import { programVersion } from '../../base/run/process.ts'
import { defineCommand } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'

export const command = defineCommand({
  options: (yargs) => yargs,
  async run(_options, terminal) {
    terminal.out(programVersion())
    return exit_codes.ok
  },
})
