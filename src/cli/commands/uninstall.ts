import type { Command, GlobalOptions } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { uninstall } from '../install/uninstall.ts'

interface Options extends GlobalOptions {
  'dry-run': boolean
  instance: string | undefined
  prefix: string | undefined
  purge: boolean
}

export const command: Command<Options> = {
  options: (yargs) =>
    yargs
      .option('dry-run', { type: 'boolean', default: false, describe: 'show what would be done, do nothing' })
      .option('instance', { type: 'string', requiresArg: true, describe: 'that of /etc/sluice/NAME.yaml' })
      .option('purge', {
        type: 'boolean',
        default: false,
        describe: 'remove configuration, token and all that is remembered, too',
      })
      .option('prefix', { type: 'string', requiresArg: true, describe: 'what lies below this directory; runs nothing' })
      .example('sudo $0 uninstall', 'the unit goes; configuration, token and state stay'),
  async run(options, terminal) {
    uninstall({
      instance: options.instance,
      purge: options.purge,
      is_dry: options['dry-run'],
      prefix: options.prefix,
      terminal,
    })
    return exit_codes.ok
  },
}
