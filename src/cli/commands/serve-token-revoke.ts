import { SluiceError } from '../../base/errors.ts'
import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { sayWhole } from '../say-whole.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  name: string
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs).positional('name', { type: 'string', demandOption: true, describe: 'the name of the token' }),
  async run(options, terminal) {
    const { name } = options
    if (!withAdministration(options, ({ tokens }) => tokens.revoke(name))) {
      throw new SluiceError({
        code: 'config.service',
        message: `there is no token called ${name}`,
        hint: 'list them with `sluice serve token list`',
      })
    }
    sayWhole(terminal, `${name} is revoked; a service that runs refuses it from the next request on`, 'err')
    return exit_codes.ok
  },
}
