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
  /** The projects that were found within reach, by id. */
  projects: Map<string, ProjectAccess>
}

export interface ProjectAccess {
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
export function leastRole({ id, method }: Route): Role {
  return method === 'GET' || open_to_readers.includes(id.split('.')[0]!) ? 'reader' : 'collaborator'
}

/** Whether a project-scoped call can be refused for the role. */
export function asksForRole(route: Route): boolean {
  return leastRole(route) !== 'reader' || of_own_things.includes(route.id)
}

/** Throws where the role is less than what the call takes; it is a fault of the project, so that a client rests the whole of it. */
export function checkRole(role: Role, least: Role): void {
  if (ranks[role] >= ranks[least]) return
  throw fault('publicapi.tenancy.role.insufficient', `This takes the role ${least} in the project; yours is ${role}.`)
}

/** More tokens than one machine's service has at work at once. */
const remembered_most = 1_000

export type Access = ReturnType<typeof openAccess>

/** Which rows of `projects` a caller reaches, for a WHERE; `@user`, `@token` and `@every_project` are the caller's. */
export const within_reach = `(@user IS NULL OR projects.seq IN (SELECT project FROM members WHERE user = @user))
  AND (@every_project = 1 OR projects.seq IN (SELECT project FROM token_projects WHERE token = @token))`

export function reachOfCaller({ user, token, every_project }: Caller): Omit<Caller, 'projects'> {
  return { user, token, every_project }
}

export function openAccess(database: Sqlite) {
  const { one, value } = statementsOf(database)
  // Moves with every commit of another connection: a command beside this process is seen by the next request.
  const changed_elsewhere = database.prepare('PRAGMA data_version').pluck()
  const memory = new Map<string, Caller>()
  let seen_elsewhere = changed_elsewhere.get()
  let version = 0

  /** What was found is looked up again: the projects, their members or the tokens changed. */
  function forget(): void {
    memory.clear()
    version += 1
  }

  function forgetIfChanged(): void {
    const now = changed_elsewhere.get()
    if (now !== seen_elsewhere) forget()
    seen_elsewhere = now
  }

  function lookUp(hashed: Buffer): Caller | undefined {
    type Found = Omit<Caller, 'projects'> & { hash: Buffer }
    const row = one<Found>('SELECT seq AS token, hash, every_project, user FROM tokens WHERE hash = ?', hashed)
    if (!row) return undefined
    // The index compares hashes, of which a caller controls no byte; the last word is a comparison in constant time.
    const { hash, ...caller } = row
    return timingSafeEqual(hash, hashed) ? { ...caller, projects: new Map() } : undefined
  }

  return {
    forget,
    /** Who sends this X-API-Key, or undefined; a token that was revoked by a command beside the running service is nobody at once. */
    callerOf(token: unknown): Caller | undefined {
      if (typeof token !== 'string' || !token_pattern.test(token)) return undefined
      forgetIfChanged()
      const hashed = hashOf(token)
      const key = hashed.toString('latin1')
      const found = memory.get(key) ?? lookUp(hashed)
      if (memory.size >= remembered_most) memory.clear()
      if (found) memory.set(key, found)
      return found
    },
    /** Another number after every change, also of another process: what was found under an earlier one may be true no more. */
    version(): number {
      forgetIfChanged()
      return version
    },
    /** The number of a project, whoever asks. */
    projectNumber: (project_id: string) => value<number>('SELECT seq FROM projects WHERE project_id = ?', project_id),
    /** A project within the caller's reach, and as what; or undefined. */
    projectOf(caller: Caller, project_id: string): ProjectAccess | undefined {
      const known = caller.projects.get(project_id)
      if (known) return known
      const found = one<ProjectAccess>(
        `SELECT seq AS project, coalesce((SELECT role FROM members WHERE project = projects.seq AND user = @user), 'owner') AS role
         FROM projects WHERE project_id = @project_id AND ${within_reach}`,
        { ...reachOfCaller(caller), project_id },
      )
      if (found) caller.projects.set(project_id, found)
      return found
    },
  }
}
