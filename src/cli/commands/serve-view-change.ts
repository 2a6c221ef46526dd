import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption, withAdministration, wordsOf } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  id: string
  name: string | undefined
  labels: string | undefined
  'name-pattern': string | undefined
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('id', { type: 'string', demandOption: true, describe: 'the id of the view' })
      .option('name', { type: 'string', requiresArg: true, describe: 'another name' })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        describe: "names of labels in place of those before, with commas; '' for none",
      })
      .option('name-pattern', {
        type: 'string',
        requiresArg: true,
        describe: "a pattern in place of the one before; '' for none",
      }),
  async run(options, terminal) {
    const { id, name, labels, 'name-pattern': name_pattern } = options
    const to = { name, labels: labels === undefined ? undefined : wordsOf(labels), name_pattern }
    withAdministration(options, ({ views }) => views.change(id, to))
    terminal.err(`${id} is changed, for answers that are written from now on`)
    return exit_codes.ok
  },
}
