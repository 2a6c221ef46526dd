import { type Clock, isoTime } from '../base/time.ts'
import type { InvitationRecord, MemberRecord, ProjectRecord, Role } from '../contract/messages-projects.ts'
import type { RouteId } from '../contract/routes.ts'
import type { Access, Caller } from './access.ts'
import type { CommitGroup } from './commit-group.ts'
import { fault } from './faults.ts'
import { type Handlers, no_content } from './handler.ts'
import { makeId } from './ids.ts'
import { envelopeOf, readPage } from './paging.ts'
import { checkRole } from './roles.ts'
import type { InvitationRow, MemberRow, MemberStore } from './store-members.ts'
import type { ListedProject, ProjectStore } from './store-projects.ts'

export interface ProjectParts {
  access: Access
  project_store: ProjectStore
  members: MemberStore
  commits: CommitGroup
  clock: Clock
  /** Origin of the API as others see it. */
  apiOrigin: () => string
}

type ProjectRoutes = Extract<RouteId, `projects.${string}`>

/** These name their project in the path, not in a header. */
export function projectHandlers(parts: ProjectParts): Handlers<ProjectRoutes> {
  const { access, project_store, members, commits, clock } = parts

  /** The number of a project in which the caller has at least this role. */
  function within(caller: Caller, project_id: string, least: Role): number {
    const reached = access.projectOf(caller, project_id)
    if (!reached) throw fault('publicapi.project.not_found', `There is no project ${project_id} within reach.`)
    checkRole(reached.role, least)
    return reached.project
  }

  const read = (caller: Caller, project_id: string) => recordOf(project_store.find(caller, project_id)!)

  return {
    'projects.list': ({ caller, query }) => {
      const { rows, has_more } = readPage(project_store.listing(caller), query)
      return { status: 200, body: envelopeOf(rows.map(recordOf), has_more, (project) => project.project_id) }
    },

    'projects.create': ({ caller, body }) =>
      commits.write(() => {
        const now_ms = clock.now_ms()
        const project_id = makeId('project', now_ms)
        const project = project_store.insert(caller, project_id, body, now_ms)
        if (caller.user !== null) members.set(project, caller.user, 'owner', now_ms)
        return { status: 201, body: read(caller, project_id) }
      }),

    'projects.update': ({ caller, params: { project_id }, body }) =>
      commits.write(() => {
        project_store.update(within(caller, project_id, 'owner'), body)
        return { status: 200, body: read(caller, project_id) }
      }),

    'projects.members': ({ caller, params, query }) => {
      const { rows, has_more } = readPage(members.listing(within(caller, params.project_id, 'reader')), query)
      return { status: 200, body: envelopeOf(rows.map(memberOf), has_more, (member) => member.user_id) }
    },

    'projects.invite': async ({ caller, params: { project_id }, body: { email, role } }) => {
      const row = await commits.write(() => {
        const project = within(caller, project_id, 'owner')
        const now_ms = clock.now_ms()
        const user = members.userWith(email)
        if (user !== undefined) makeMember(members, project, user, role, now_ms)
        const invitation_id = makeId('invitation', now_ms)
        return members.invite(project, { invitation_id, email, role, created_at_ms: now_ms })
      })
      // Somebody's role may have changed.
      access.forget()
      return { status: 201, body: invitationOf(row, parts.apiOrigin()) }
    },

    'projects.uninvite': ({ caller, params: { project_id, invitation_id } }) =>
      commits.write(() => {
        if (!members.uninvite(within(caller, project_id, 'owner'), invitation_id)) {
          throw fault('publicapi.invitation.not_found', `There is no invitation ${invitation_id} in this project.`)
        }
        return no_content
      }),
  }
}

/** Somebody whom the service knows is a member at once (D-05); a project always keeps an owner. */
function makeMember(members: MemberStore, project: number, user: number, role: Role, now_ms: number): void {
  if (role !== 'owner' && members.isLastOwner(project, user)) {
    throw fault('publicapi.tenancy.role.last_owner', 'This is the only owner of the project: make another one first.')
  }
  members.set(project, user, role, now_ms)
}

function recordOf({ project_id, name, description, is_default }: ListedProject): ProjectRecord {
  return { project_id, name, ...(description === null ? {} : { description }), default: is_default === 1 }
}

function memberOf({ user_id, email, name, role, added_at_ms }: MemberRow): MemberRecord {
  return { user_id, email, ...(name === null ? {} : { name }), role, added_at: isoTime(added_at_ms) }
}

function invitationOf({ invitation_id, email, role, created_at_ms }: InvitationRow, origin: string): InvitationRecord {
  const url = `${origin}/invitations/${invitation_id}`
  return { invitation_id, email, role, url, created_at: isoTime(created_at_ms) }
}
