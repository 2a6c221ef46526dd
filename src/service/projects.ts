import type { Sqlite } from '../base/sqlite.ts'
import { type Clock, isoTime } from '../base/time.ts'
import { checkName } from './administration.ts'
import { makeId } from './ids.ts'

export interface ProjectRow {
  project_id: string
  name: string
  created_at: string
}

/** Projects as the one who runs the service makes them, by command. */
export interface Projects {
  create(name: string): { project_id: string }
  list(): ProjectRow[]
}

export function openProjects(database: Sqlite, clock: Clock): Projects {
  return {
    create(name) {
      checkName('project', name)
      const now_ms = clock.now_ms()
      const project_id = makeId('project', now_ms)
      database
        .prepare('INSERT INTO projects (project_id, name, created_at_ms) VALUES (?, ?, ?)')
        .run(project_id, name, now_ms)
      return { project_id }
    },
    list() {
      const rows = database.prepare('SELECT project_id, name, created_at_ms FROM projects ORDER BY seq').all()
      return (rows as { project_id: string; name: string; created_at_ms: number }[]).map((row) => ({
        project_id: row.project_id,
        name: row.name,
        created_at: isoTime(row.created_at_ms),
      }))
    },
  }
}
