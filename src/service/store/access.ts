import { timingSafeEqual } from 'node:crypto'
import type { Sqlite } from '../../base/files/sqlite.ts'
import { token_pattern } from '../../contract/identifiers.ts'
import type { Role } from '../../contract/messages/messages-projects.ts'
import type { Route } from '../../contract/routes/route.ts'
import type { AnswerOf, ParamsOf, QueryOf, RequestOf, RouteId } from '../../contract/routes/routes.ts'
import { fault } from '../faults/faults.ts'
import { hashOf } from './accounts.ts'
import { statementsOf } from './database.ts'

/** Whom a token speaks for. */
export interface Caller {
  token: number
  /** The user whose token it is; null for a token of nobody, which is an owner wherever it reaches. */
  user: number | null
  /** 1: everything that its user reaches, or everything that is there; 0: what `token_projects` says, and no more than that. */
  every_project: 0 | 1
}

interface ProjectAccess {
  project: number
  role: Role
}

/** Who asks, and about what. */
export interface Who {
  caller: Caller
  /** The number of the project that the call is about; 0 where the route is not project-scoped. */
  project: number
  /** Of the caller in that project. */
  role: Role
}

/** One call, authenticated and parsed. */
export interface Call<Id extends RouteId> extends Who {
  params: ParamsOf<Id>
  query: QueryOf<Id>
  body: RequestOf<Id>
}

/** A handler answers the body; the status stands in the table. What it throws becomes the answer (faults). What it answers is committed. */
export type Handlers<Id extends RouteId> = {
  [Each in Id]: (call: Call<Each>) => AnswerOf<Each> | Promise<AnswerOf<Each>>
}

const ranks: Record<Role, number> = { reader: 0, collaborator: 1, owner: 2 }

/** What a reader may do besides reading: ask, and keep memories. */
const open_to_readers = ['chats', 'messages', 'memories']

/** Of these, what changes a thing that is there: a reader does that to their own alone, and the handler looks whose it is. */
const of_own_things: readonly string[] = [
  'chats.update',
  'chats.delete',
  'messages.delete',
  'memories.update',
  'memories.delete',
]

/** The least role that a project-scoped call takes, whatever it is about. */
export function minRole({ id, method }: Route): Role {
  return method === 'GET' || open_to_readers.includes(id.split('.')[0]!) ? 'reader' : 'collaborator'
}

/** Whether a project-scoped call can be refused for the role. */
export function asksForRole(route: Route): boolean {
  return minRole(route) !== 'reader' || of_own_things.includes(route.id)
}

/** Throws where the role is less than what the call takes; it is a fault of the project, so that a client rests the whole of it. */
export function checkRole(role: Role, min_role: Role): void {
  if (ranks[role] >= ranks[min_role]) return
  throw fault(
    'publicapi.tenancy.role.insufficient',
    `This takes the role ${min_role} in the project; yours is ${role}.`,
  )
}

export type Access = ReturnType<typeof openAccess>

/** Which rows of `projects` a caller reaches, for a WHERE; `@user`, `@token` and `@every_project` are the caller's. */
export const within_reach = `(@user IS NULL OR projects.seq IN (SELECT project FROM members WHERE user = @user))
  AND (@every_project = 1 OR projects.seq IN (SELECT project FROM token_projects WHERE token = @token))`

/** Everything is asked anew for every request: what a command changed beside this process counts at once. */
export function openAccess(database: Sqlite) {
  const { one, value } = statementsOf(database)
  return {
    /** The caller who sends this X-API-Key; undefined for a key that is malformed, unknown or revoked. */
    callerOf(token: unknown): Caller | undefined {
      if (typeof token !== 'string' || !token_pattern.test(token)) return undefined
      const hashed = hashOf(token)
      const sql = 'SELECT seq AS token, hash, every_project, user FROM tokens WHERE hash = ?'
      const { hash, ...caller } = one<Caller & { hash: Buffer }>(sql, hashed) ?? {}
      // The index compares hashes, of which a caller controls no byte; the last word is a comparison in constant time.
      return hash && timingSafeEqual(hash, hashed) ? (caller as Caller) : undefined
    },
    /** The number of a project, whoever asks. */
    projectNumber: (project_id: string) => value<number>('SELECT seq FROM projects WHERE project_id = ?', project_id),
    /** A project within the caller's reach, and the caller's role in it; or undefined. */
    projectOf: (caller: Caller, project_id: string) =>
      one<ProjectAccess>(
        `SELECT seq AS project, coalesce((SELECT role FROM members WHERE project = projects.seq AND user = @user), 'owner') AS role
         FROM projects WHERE project_id = @project_id AND ${within_reach}`,
        { ...caller, project_id },
      ),
  }
}
