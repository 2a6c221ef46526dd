import { printNote } from '../text/print.ts'
import { right, shrinking } from '../text/table.ts'
import { serveList, serveVerb } from './serve-verb.ts'

export const create = serveVerb({
  argument: ['name', 'a name to make projects in it by'],
  options: { organisation: 'the organisation that holds it, made when new; otherwise the one called default' },
  run({ workspaces }, { name, organisation }, terminal) {
    workspaces.create(name, organisation)
    const how = '`sluice serve project create NAME --workspace` fills it'
    printNote(terminal, `the workspace ${name} is there; ${how}`)
  },
})

export const list = serveList(
  [shrinking('ORGANISATION'), shrinking('WORKSPACE'), 'CREATED', right('PROJECTS')],
  ({ workspaces }) =>
    workspaces.list().map((row) => [row.organisation, row.workspace, row.created_at, String(row.projects)]),
)
