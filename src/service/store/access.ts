import { timingSafeEqual } from 'node:crypto'
import type { Sqlite } from '../../base/files/sqlite.ts'
import { token_pattern } from '../../base/text/scrub.ts'
import type { Role } from '../../contract/messages/messages-projects.ts'
import type { Route } from '../../contract/routes/route.ts'
import type {
  AnswerOf,
  ParamsOf,
  QueryOf,
  RequestOf,
  RouteId,
} from '../../contract/routes/routes.ts'
import { fault } from '../faults/faults.ts'
import { hashOf } from './accounts.ts'
import { statementsOf } from './database.ts'

/** The token of a request and the user it belongs to. */
export interface Caller {
  token: number
  /** Null: the token has no user and is an owner in every project that it reaches. */
  user: number | null
  /** 1: all projects of its user, or all without a user. 0: of these, those in `token_projects`. */
  every_project: 0 | 1
}

interface ProjectAccess {
  project: number
  role: Role
}

/** The caller of a request, and the project it is about. */
export interface Who {
  caller: Caller
  /** The number of the project; 0 for a route without a project. */
  project: number
  /** The role of the caller in this project; `reader` for a route without a project. */
  role: Role
}

/** One call, authenticated and parsed. */
export interface Call<Id extends RouteId> extends Who {
  params: ParamsOf<Id>
  query: QueryOf<Id>
  body: RequestOf<Id>
}

/**
 * A handler returns the body; the table of routes has the status. `answerFault` makes an answer of
 * an error that it throws. Its changes are committed before the answer.
 */
export type Handlers<Id extends RouteId> = {
  [Each in Id]: (call: Call<Each>) => AnswerOf<Each> | Promise<AnswerOf<Each>>
}

const ranks: Record<Role, number> = { reader: 0, collaborator: 1, owner: 2 }

/** Groups of calls in which a reader may also write: a reader can ask, and keep memories. */
const open_to_readers = ['chats', 'messages', 'memories']

/** Calls of these groups where a reader may make or change own things only. Handlers check it. */
const of_own_things: readonly string[] = [
  'chats.update',
  'chats.delete',
  'messages.delete',
  'memories.create',
  'memories.update',
  'memories.delete',
]

/** The role that a call to a project needs at least. Handlers can demand more for some things. */
export function minRole({ id, method }: Route): Role {
  return method === 'GET' || open_to_readers.includes(id.split('.')[0]!) ? 'reader' : 'collaborator'
}

/** True if a call to a project can be refused for the role: then its description has that error. */
export function asksForRole(route: Route): boolean {
  return minRole(route) !== 'reader' || of_own_things.includes(route.id)
}

/** Throws if the role is too low. Clients take its code as `project` and pause the project. */
export function checkRole(role: Role, min_role: Role): void {
  if (ranks[role] >= ranks[min_role]) return
  throw fault('publicapi.tenancy.role.insufficient', { needed: min_role, role })
}

export type Access = ReturnType<typeof openAccess>

/**
 * An SQL condition for the rows of `projects` that a caller reaches. `@user`, `@token` and
 * `@every_project` come from the caller.
 */
export const within_reach = `(@user IS NULL OR projects.seq IN (SELECT project FROM members WHERE user = @user))
  AND (@every_project = 1 OR projects.seq IN (SELECT project FROM token_projects WHERE token = @token))`

/** SQL for the role of a caller in a row of `projects`. */
export const role_in_project = `coalesce((SELECT role FROM members WHERE project = projects.seq AND user = @user), 'owner') AS role`

/** Queries the database for every request, so that a change by a command takes effect at once. */
export function openAccess(database: Sqlite) {
  const { one } = statementsOf(database)
  return {
    /** The caller with this X-API-Key; undefined for a malformed, unknown or revoked key. */
    callerOf(token: unknown): Caller | undefined {
      if (typeof token !== 'string' || !token_pattern.test(token)) return undefined
      const hashed = hashOf(token)
      const sql = 'SELECT seq AS token, hash, every_project, user FROM tokens WHERE hash = ?'
      const { hash, ...caller } = one<Caller & { hash: Buffer }>(sql, hashed) ?? {}
      // The index compares hashes, which a caller cannot choose. The final comparison takes
      // constant time.
      return hash && timingSafeEqual(hash, hashed) ? (caller as Caller) : undefined
    },
    /** The project and the caller's role in it; undefined if it is out of reach. */
    projectOf: (caller: Caller, project_id: string) =>
      one<ProjectAccess>(
        `SELECT seq AS project, ${role_in_project} FROM projects WHERE project_id = @project_id AND ${within_reach}`,
        { ...caller, project_id },
      ),
  }
}
