import type { Sqlite } from '../../base/files/sqlite.ts'
import type { JoinMethod, Role } from '../../contract/messages/messages-projects.ts'
import { type Caller, role_in_project, within_reach } from './access.ts'
import { statementsOf } from './database.ts'
import { type Listing, sqlListing } from './paging.ts'

export interface ListedProject {
  seq: number
  project_id: string
  name: string
  description: string | null
  role: Role
  /** 1 for the project that the key opens first: the oldest within its reach. */
  is_default: 0 | 1
}

export interface MemberRow {
  user_id: string
  email: string
  name: string | null
  role: Role
  join_method: JoinMethod
  added_at_ms: number
}

interface ProjectFields {
  name: string
  description?: string | undefined
}

export function openProjectStore(database: Sqlite) {
  const columns = `seq, project_id, name, description, ${role_in_project},
    seq = (SELECT min(seq) FROM projects WHERE ${within_reach}) AS is_default`

  const user_with = '(SELECT seq FROM users WHERE email = @email)'
  const { one, value, run } = statementsOf(database)

  return {
    /** The projects that a caller reaches, newest first. */
    listing(caller: Caller): Listing<ListedProject, number> {
      const table = {
        columns,
        from: 'projects',
        where: within_reach,
        by: 'seq',
        id: 'project_id',
        newest_first: true,
      }
      return sqlListing(database, table, { ...caller, project: 0 })
    },
    find: (caller: Caller, project_id: string) =>
      one<ListedProject>(
        `SELECT ${columns} FROM projects WHERE ${within_reach} AND project_id = @project_id`,
        {
          ...caller,
          project_id,
        },
      ),
    /** Makes a project in the workspace of the caller's oldest project. Returns its number. */
    insert(
      caller: Caller,
      project_id: string,
      { name, description }: ProjectFields,
      now_ms: number,
    ): number {
      const { lastInsertRowid } = run(
        `INSERT INTO projects (project_id, name, description, created_at_ms, workspace)
         VALUES (@project_id, @name, @description, @now_ms,
           coalesce((SELECT workspace FROM projects WHERE ${within_reach} ORDER BY seq LIMIT 1), 1))`,
        { ...caller, project_id, name, description, now_ms },
      )
      return Number(lastInsertRowid)
    },
    update: (seq: number, { name, description }: ProjectFields) =>
      run('UPDATE projects SET name = ?, description = ? WHERE seq = ?', name, description, seq),
    /** Adds a member, or changes the role of one. */
    setMember: (
      project: number,
      user: number,
      role: Role,
      join_method: JoinMethod,
      now_ms: number,
    ) =>
      run(
        `INSERT INTO members (project, user, role, join_method, added_at_ms)
         VALUES (@project, @user, @role, @join_method, @now_ms)
         ON CONFLICT (project, user) DO UPDATE SET role = excluded.role`,
        { project, user, role, join_method, now_ms },
      ),
    /** Does nothing for a user who is no member. */
    setRole: (project: number, email: string, role: Role) =>
      run(`UPDATE members SET role = @role WHERE project = @project AND user = ${user_with}`, {
        role,
        project,
        email,
      }),
    isLastOwner: (project: number, email: string): boolean =>
      value(
        `SELECT min(user = ${user_with}) FROM members WHERE project = @project AND role = 'owner'`,
        {
          project,
          email,
        },
      ) === 1,
    /** Oldest first. */
    members: (project: number): Listing<MemberRow, number> =>
      sqlListing(
        database,
        {
          columns: 'user_id, email, users.name, role, join_method, added_at_ms',
          from: 'members JOIN users ON users.seq = user',
          where: 'project = @project',
          by: 'members.seq',
          id: 'user_id',
          newest_first: false,
        },
        { project },
      ),
    userWith: (email: string) => value<number>('SELECT seq FROM users WHERE email = ?', email),
  }
}
