import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { tableLines } from '../table.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

export const command: Command<DataDirOptions> = {
  options: dataDirOption,
  async run(options, terminal) {
    const projects = withAdministration(options, (administration) => administration.projects.list())
    const columns = [
      { title: 'PROJECT' },
      { title: 'CREATED' },
      { title: 'ORGANISATION', shrinks: true },
      { title: 'WORKSPACE', shrinks: true },
      { title: 'NAME', shrinks: true },
    ]
    const rows = projects.map((row) => [row.project_id, row.created_at, row.organisation, row.workspace, row.name])
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
}
