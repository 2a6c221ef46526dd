import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption, withAdministration, wordsOf } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  name: string
  project: string
  labels: string | undefined
  'name-pattern': string | undefined
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('name', { type: 'string', demandOption: true, describe: 'a name for people' })
      .option('project', { type: 'string', requiresArg: true, demandOption: true, describe: 'the id of its project' })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        describe: 'shows assets with one of these labels: their names, with commas',
      })
      .option('name-pattern', {
        type: 'string',
        requiresArg: true,
        describe: 'shows assets whose file name is like this: * any text, ? one character',
      }),
  async run(options, terminal) {
    const { name, project: project_id, labels, 'name-pattern': name_pattern } = options
    const of = { project_id, labels: wordsOf(labels), name_pattern }
    const { view_id } = withAdministration(options, ({ views }) => views.create(name, of))
    terminal.out(view_id)
    return exit_codes.ok
  },
}
