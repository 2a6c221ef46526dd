import { defineCommand, flag, text } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { uninstall } from '../install/uninstall.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('dry-run', flag('show what would be done, do nothing'))
      .option('instance', text('that of /etc/sluice/NAME.yaml'))
      .option('purge', flag('remove configuration, token and all that is remembered, too'))
      .option('prefix', text('what lies below this directory; runs nothing'))
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
})
