import type { Role } from '../contract/messages-projects.ts'
import type { Route } from '../contract/route.ts'
import { fault } from './faults.ts'

const ranks: Record<Role, number> = { reader: 0, collaborator: 1, owner: 2 }

/** What a reader may do besides reading: ask, and keep memories of their own. */
const open_to_readers = ['chats', 'messages', 'memories']

/** The least role that a project-scoped call takes. */
export function leastRole({ id, method }: Route): Role {
  return method === 'GET' || open_to_readers.includes(id.split('.')[0]!) ? 'reader' : 'collaborator'
}

/** Throws where the role is less than what the call takes; it is a fault of the project, so that a client rests the whole of it. */
export function checkRole(role: Role, least: Role): void {
  if (ranks[role] >= ranks[least]) return
  throw fault('publicapi.tenancy.role.insufficient', `This takes the role ${least} in the project; yours is ${role}.`)
}
