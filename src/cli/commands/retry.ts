import { defineCommand } from '../command.ts'
import { sayWord } from '../daemon/person-word.ts'
import { exit_codes } from '../exit-codes.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs.positional('paths', {
      type: 'string',
      array: true,
      describe: 'files or directories, by where they are or as FOLDER/PATH; without any, everything',
    }),
  async run({ config, paths }, terminal) {
    await sayWord({ type: 'retried', config_file: config, paths: paths ?? [], terminal })
    return exit_codes.ok
  },
})
