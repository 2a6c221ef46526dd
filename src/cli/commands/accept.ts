import type { Command, GlobalOptions } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { sayWord } from '../person-word.ts'

interface Options extends GlobalOptions {
  path: string
}

export const command: Command<Options> = {
  options: (yargs) =>
    yargs.positional('path', {
      type: 'string',
      demandOption: true,
      describe: 'a file, a directory or a whole folder, by where it is or as FOLDER/PATH',
    }),
  async run({ config, path }, terminal) {
    await sayWord({ type: 'accepted', config_file: config, paths: [path], terminal })
    return exit_codes.ok
  },
}
