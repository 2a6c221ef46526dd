import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  email: string
  name: string | undefined
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('email', { type: 'string', demandOption: true, describe: 'their e-mail address' })
      .option('name', { type: 'string', requiresArg: true, describe: 'their name, for people' }),
  async run(options, terminal) {
    const { user_id } = withAdministration(options, ({ users }) => users.create(options.email, options.name))
    terminal.out(user_id)
    return exit_codes.ok
  },
}
