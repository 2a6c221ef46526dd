import type { Role } from '../../contract/messages/messages-projects.ts'
import type { Route } from '../../contract/routes/route.ts'
import { fault } from '../faults/faults.ts'

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
