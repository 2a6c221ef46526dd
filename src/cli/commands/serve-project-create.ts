import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  name: string
  organisation: string | undefined
  workspace: string | undefined
}

export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('name', { type: 'string', demandOption: true, describe: 'a name for people' })
      .option('workspace', { type: 'string', requiresArg: true, describe: 'the workspace that holds it' })
      .option('organisation', { type: 'string', requiresArg: true, describe: 'the organisation of the workspace' }),
  async run(options, terminal) {
    const { name, organisation, workspace } = options
    const { project_id } = withAdministration(options, ({ projects }) =>
      projects.create(name, { organisation, workspace }),
    )
    terminal.out(project_id)
    return exit_codes.ok
  },
}
