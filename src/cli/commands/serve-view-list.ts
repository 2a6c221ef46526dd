import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { tableLines } from '../table.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

export const command: Command<DataDirOptions> = {
  options: dataDirOption,
  async run(options, terminal) {
    const views = withAdministration(options, (administration) => administration.views.list())
    const columns = [
      { title: 'VIEW' },
      { title: 'PROJECT' },
      { title: 'NAME', shrinks: true },
      { title: 'LABELS', shrinks: true },
      { title: 'PATTERN', shrinks: true },
    ]
    const rows = views.map(({ view_id, project_id, name, labels, name_pattern = '' }) => [
      view_id,
      project_id,
      name,
      labels.join(', '),
      name_pattern,
    ])
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
}
