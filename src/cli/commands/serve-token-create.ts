import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { sayWhole } from '../say-whole.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

interface Options extends DataDirOptions {
  name: string
  projects: string | undefined
  user: string | undefined
}

/** Standard output gets the secret alone, so that it can go into a file; it cannot be shown again. */
export const command: Command<Options> = {
  options: (yargs) =>
    dataDirOption(yargs)
      .positional('name', { type: 'string', demandOption: true, describe: 'a name to revoke it by' })
      .option('projects', {
        type: 'string',
        requiresArg: true,
        describe: 'the ids of the projects within its reach, with commas; otherwise every project',
      })
      .option('user', {
        type: 'string',
        requiresArg: true,
        describe: 'the e-mail address of the user whose token it is; otherwise it is an owner wherever it reaches',
      }),
  async run(options, terminal) {
    const { name, projects, user } = options
    const reach = { user, project_ids: projects?.split(',').map((id) => id.trim()) }
    const { token } = withAdministration(options, ({ tokens }) => tokens.create(name, reach))
    terminal.out(token)
    sayWhole(terminal, 'Keep it in a file that only you can read: it is not shown again.', 'err')
    return exit_codes.ok
  },
}
