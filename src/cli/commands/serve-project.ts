import { shrinking } from '../text/table.ts'
import { serveList, serveVerb } from './serve-verb.ts'

export const create = serveVerb({
  argument: ['name', 'a name for people'],
  options: { workspace: 'the workspace that holds it', organisation: 'the organisation of the workspace' },
  run({ projects }, { name, workspace, organisation }, terminal) {
    terminal.out(projects.create(name, { organisation, workspace }).project_id)
  },
})

export const list = serveList(
  ['PROJECT', 'CREATED', shrinking('ORGANISATION'), shrinking('WORKSPACE'), shrinking('NAME')],
  ({ projects }) =>
    projects.list().map((row) => [row.project_id, row.created_at, row.organisation, row.workspace, row.name]),
)
