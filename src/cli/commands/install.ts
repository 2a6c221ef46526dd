import { defineCommand, flag, text } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { install } from '../install/install.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .option('dry-run', flag('show what would be done, do nothing'))
      .option('instance', text('a configuration of its own: /etc/sluice/NAME.yaml as sluice@NAME'))
      .option(
        'token-file',
        text('the file that holds the token; it is copied for root alone (default: that of the configuration)'),
      )
      .option('prefix', text('lay the files below this directory and run nothing (for packages)'))
      .example('sudo $0 install --dry-run', 'what it would do, and which commands come next')
      .example('sudo $0 install --config sluice.yaml --token-file token', 'takes both to /etc/sluice'),
  async run(options, terminal) {
    install({
      config_file: options.config,
      is_dry: options['dry-run'],
      instance: options.instance,
      prefix: options.prefix,
      token_file: options['token-file'],
      terminal,
    })
    return exit_codes.ok
  },
})
