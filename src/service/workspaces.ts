import type { Sqlite } from '../base/sqlite.ts'
import { type Clock, isoTime } from '../base/time.ts'
import { checkName, refused } from './administration.ts'

/** A workspace by its name and that of its organisation; either absent: the one called default, which is always there. */
export interface WorkspaceName {
  organisation?: string | undefined
  workspace?: string | undefined
}

interface WorkspaceRow {
  organisation: string
  workspace: string
  projects: number
  created_at: string
}

/** An organisation holds workspaces, a workspace holds projects; made on this machine only, and never named through `/v1`. */
export interface Workspaces {
  /** The organisation is made with its first workspace. Error `config.service` for a name in use there. */
  create(name: string, organisation?: string): void
  list(): WorkspaceRow[]
}

const always_there = 'default'

export function openWorkspaces(database: Sqlite, clock: Clock): Workspaces {
  const make_organisation = database.prepare(
    'INSERT INTO organisations (name, created_at_ms) VALUES (?, ?) ON CONFLICT (name) DO NOTHING',
  )
  const insert = database.prepare(
    `INSERT INTO workspaces (organisation, name, created_at_ms)
     SELECT seq, ?, ? FROM organisations WHERE name = ?`,
  )
  const create = database.transaction((name: string, organisation: string) => {
    if (findWorkspace(database, { organisation, workspace: name }) !== undefined) {
      throw refused(`there is a workspace ${name} in the organisation ${organisation} already`, 'choose another name')
    }
    const now_ms = clock.now_ms()
    make_organisation.run(organisation, now_ms)
    insert.run(name, now_ms, organisation)
  })

  return {
    create(name, organisation = always_there) {
      checkName('a workspace', name)
      checkName('an organisation', organisation)
      create.immediate(name, organisation)
    },
    list() {
      const rows = database
        .prepare(
          `SELECT organisations.name AS organisation, workspaces.name AS workspace, workspaces.created_at_ms,
             (SELECT count(*) FROM projects WHERE workspace = workspaces.seq) AS projects
           FROM workspaces JOIN organisations ON organisations.seq = organisation ORDER BY organisation, workspaces.seq`,
        )
        .all()
      return (rows as (Omit<WorkspaceRow, 'created_at'> & { created_at_ms: number })[]).map(
        ({ created_at_ms, ...row }) => ({ ...row, created_at: isoTime(created_at_ms) }),
      )
    },
  }
}

/** The number of the workspace, or undefined. */
export function findWorkspace(
  database: Sqlite,
  { organisation = always_there, workspace = always_there }: WorkspaceName,
): number | undefined {
  return database
    .prepare(
      `SELECT workspaces.seq FROM workspaces JOIN organisations ON organisations.seq = organisation
       WHERE organisations.name = ? AND workspaces.name = ?`,
    )
    .pluck()
    .get(organisation, workspace) as number | undefined
}
