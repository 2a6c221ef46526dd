import { SluiceError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { sayWhole } from '../say-whole.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  email: string
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs).positional('email', {
      type: 'string',
      demandOption: true,
      describe: 'the e-mail address of the user',
    }),
  async run(options, terminal) {
    const { email } = options
    if (!withAdministration(options, ({ users }) => users.remove(email))) {
      throw new SluiceError({
        code: 'config.service',
        message: `there is no user ${email}`,
        hint: 'list them with `sluice serve user list`',
      })
    }
    sayWhole(terminal, `${email} is removed; a service that runs refuses their tokens from the next request on`, 'err')
    return exit_codes.ok
  },
}
