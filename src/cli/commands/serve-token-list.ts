import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { tableLines } from '../table.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

export const command: Command<DataDirOptions> = {
  options: dataDirOption,
  async run(options, terminal) {
    const tokens = withAdministration(options, (administration) => administration.tokens.list())
    const columns = [
      { title: 'TOKEN', shrinks: true },
      { title: 'CREATED' },
      { title: 'USER', shrinks: true },
      { title: 'PROJECTS' },
    ]
    const rows = tokens.map(({ name, created_at, user = '', project_ids }) => [
      name,
      created_at,
      user,
      project_ids?.join(' ') ?? 'every',
    ])
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
}
