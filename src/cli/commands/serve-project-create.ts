import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  name: string
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs).positional('name', { type: 'string', demandOption: true, describe: 'a name for people' }),
  async run(options, terminal) {
    const { project_id } = withAdministration(options, ({ projects }) => projects.create(options.name))
    terminal.out(project_id)
    return exit_codes.ok
  },
}
