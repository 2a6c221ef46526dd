import type { Sqlite } from '../base/sqlite.ts'
import { type Clock, isoTime } from '../base/time.ts'
import { checkName, refused } from './administration.ts'
import { makeId } from './ids.ts'
import { findWorkspace, type WorkspaceName } from './workspaces.ts'

interface ProjectRow {
  project_id: string
  name: string
  organisation: string
  workspace: string
  created_at: string
}

/** Projects as the one who runs the service makes them, by command. */
export interface Projects {
  /** Error `config.service` for an unknown workspace. */
  create(name: string, where?: WorkspaceName): { project_id: string }
  list(): ProjectRow[]
}

export function openProjects(database: Sqlite, clock: Clock): Projects {
  return {
    create(name, where = {}) {
      checkName('a project', name)
      const workspace = findWorkspace(database, where)
      if (workspace === undefined) {
        const { organisation, workspace: wanted = 'default' } = where
        const place = organisation === undefined ? '' : ` in the organisation ${organisation}`
        throw refused(`there is no workspace ${wanted}${place}`, 'list them with `sluice serve workspace list`')
      }
      const now_ms = clock.now_ms()
      const project_id = makeId('project', now_ms)
      database
        .prepare('INSERT INTO projects (project_id, name, created_at_ms, workspace) VALUES (?, ?, ?, ?)')
        .run(project_id, name, now_ms, workspace)
      return { project_id }
    },
    list() {
      const rows = database
        .prepare(
          `SELECT project_id, projects.name, organisations.name AS organisation, workspaces.name AS workspace,
             projects.created_at_ms
           FROM projects JOIN workspaces ON workspaces.seq = workspace JOIN organisations ON organisations.seq = organisation
           ORDER BY projects.seq`,
        )
        .all()
      return (rows as (Omit<ProjectRow, 'created_at'> & { created_at_ms: number })[]).map(
        ({ created_at_ms, ...row }) => ({ ...row, created_at: isoTime(created_at_ms) }),
      )
    },
  }
}
