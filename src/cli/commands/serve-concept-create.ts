import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption, withAdministration, wordsOf } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  name: string
  project: string
  assets: string
  labels: string | undefined
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('name', { type: 'string', demandOption: true, describe: 'a name for people' })
      .option('project', { type: 'string', requiresArg: true, demandOption: true, describe: 'the id of its project' })
      .option('assets', {
        type: 'string',
        requiresArg: true,
        demandOption: true,
        describe: 'the ids of the assets that it stands for, with commas',
      })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        describe: 'names of labels that lead to it, with commas; made when new',
      }),
  async run(options, terminal) {
    const { name, project: project_id, assets, labels } = options
    const of = { project_id, asset_ids: wordsOf(assets), labels: wordsOf(labels) }
    const { concept_id } = withAdministration(options, ({ concepts }) => concepts.create(name, of))
    terminal.out(concept_id)
    return exit_codes.ok
  },
}
