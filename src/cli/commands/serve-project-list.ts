import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { tableLines } from '../table.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

export const command: Command<DataDirOptions> = {
  options: dataDirOption,
  async run(options, terminal) {
    const projects = withAdministration(options, (administration) => administration.projects.list())
    const columns = [{ title: 'PROJECT' }, { title: 'CREATED' }, { title: 'NAME', shrinks: true }]
    const rows = projects.map(({ project_id, created_at, name }) => [project_id, created_at, name])
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
}
