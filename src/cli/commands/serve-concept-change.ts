import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption, withAdministration, wordsOf } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  id: string
  name: string | undefined
  assets: string | undefined
  labels: string | undefined
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('id', { type: 'string', demandOption: true, describe: 'the id of the concept' })
      .option('name', { type: 'string', requiresArg: true, describe: 'another name' })
      .option('assets', {
        type: 'string',
        requiresArg: true,
        describe: 'the ids of the assets in place of those before, with commas',
      })
      .option('labels', {
        type: 'string',
        requiresArg: true,
        describe: "names of labels in place of those before, with commas; '' for none",
      }),
  async run(options, terminal) {
    const { id, name, assets, labels } = options
    const to = {
      name,
      asset_ids: assets === undefined ? undefined : wordsOf(assets),
      labels: labels === undefined ? undefined : wordsOf(labels),
    }
    withAdministration(options, ({ concepts }) => concepts.change(id, to))
    terminal.err(`${id} is changed, for answers that are written from now on`)
    return exit_codes.ok
  },
}
