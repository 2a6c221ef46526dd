import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  id: string
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs).positional('id', { type: 'string', demandOption: true, describe: 'the id of the view' }),
  async run(options, terminal) {
    withAdministration(options, ({ views }) => views.remove(options.id))
    terminal.err(`${options.id} is removed; a question that names it is refused from now on`)
    return exit_codes.ok
  },
}
