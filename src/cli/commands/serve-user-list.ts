import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { tableLines } from '../table.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

export const command: Command<DataDirOptions> = {
  options: dataDirOption,
  async run(options, terminal) {
    const users = withAdministration(options, (administration) => administration.users.list())
    const columns = [
      { title: 'USER', shrinks: true },
      { title: 'CREATED' },
      { title: 'NAME', shrinks: true },
      { title: 'MEMBER OF', shrinks: true },
    ]
    const rows = users.map(({ email, created_at, name = '', projects }) => [
      email,
      created_at,
      name,
      projects.map(({ project_id, role }) => `${project_id} (${role})`).join(' '),
    ])
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
}
