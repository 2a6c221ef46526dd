import { serveList, serveVerb } from './serve-verb.ts'

export const create = serveVerb({
  argument: ['name', 'a name for people'],
  options: { workspace: 'the workspace that holds it', organisation: 'the organisation of the workspace' },
  run({ projects }, { name, workspace, organisation }, terminal) {
    terminal.out(projects.create(name, { organisation, workspace }).project_id)
  },
})

export const list = serveList(
  [
    { title: 'PROJECT' },
    { title: 'CREATED' },
    { title: 'ORGANISATION', shrinks: true },
    { title: 'WORKSPACE', shrinks: true },
    { title: 'NAME', shrinks: true },
  ],
  ({ projects }) =>
    projects.list().map((row) => [row.project_id, row.created_at, row.organisation, row.workspace, row.name]),
)
