import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { tableLines } from '../table.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

export const command: Command<DataDirOptions> = {
  options: dataDirOption,
  async run(options, terminal) {
    const workspaces = withAdministration(options, (administration) => administration.workspaces.list())
    const columns = [
      { title: 'ORGANISATION', shrinks: true },
      { title: 'WORKSPACE', shrinks: true },
      { title: 'CREATED' },
      { title: 'PROJECTS', align: 'right' as const },
    ]
    const rows = workspaces.map((row) => [row.organisation, row.workspace, row.created_at, String(row.projects)])
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
}
