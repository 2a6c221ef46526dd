import { argument, defineCommand, flag } from '../command.ts'
import { sayWord } from '../daemon/person-word.ts'
import { exit_codes } from '../exit-codes.ts'

export const command = defineCommand({
  options: (yargs) =>
    yargs
      .positional('path', argument('a file, a directory or a whole folder, by where it is or as FOLDER/PATH'))
      .option('removals', flag('what was deleted or replaced there may be removed on the service, however much it is')),
  async run({ config, path, removals }, terminal) {
    await sayWord({ type: removals ? 'removals_accepted' : 'accepted', config_file: config, paths: [path], terminal })
    return exit_codes.ok
  },
})
