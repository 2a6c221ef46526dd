import type { Command } from '../command.ts'
import { exit_codes } from '../exit-codes.ts'
import { tableLines } from '../table.ts'
import { type DataDirOptions, dataDirOption, withAdministration } from './serve-data-dir.ts'

export const command: Command<DataDirOptions> = {
  options: dataDirOption,
  async run(options, terminal) {
    const concepts = withAdministration(options, (administration) => administration.concepts.list())
    const columns = [
      { title: 'CONCEPT' },
      { title: 'PROJECT' },
      { title: 'ASSETS' },
      { title: 'NAME', shrinks: true },
      { title: 'LABELS', shrinks: true },
    ]
    const rows = concepts.map(({ concept_id, project_id, assets, name, labels }) => [
      concept_id,
      project_id,
      String(assets),
      name,
      labels.join(', '),
    ])
    for (const line of tableLines(columns, rows, terminal.width)) terminal.out(line)
    return exit_codes.ok
  },
}
