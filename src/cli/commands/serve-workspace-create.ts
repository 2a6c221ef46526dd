import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { sayWhole } from '../say-whole.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  name: string
  organisation: string | undefined
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('name', { type: 'string', demandOption: true, describe: 'a name to make projects in it by' })
      .option('organisation', {
        type: 'string',
        requiresArg: true,
        describe: 'the organisation that holds it, made when new; otherwise the one called default',
      }),
  async run(options, terminal) {
    withAdministration(options, ({ workspaces }) => workspaces.create(options.name, options.organisation))
    sayWhole(
      terminal,
      `the workspace ${options.name} is there; \`sluice serve project create NAME --workspace\` fills it`,
      'err',
    )
    return exit_codes.ok
  },
}
