import { isoTime } from '../../base/time/time.ts'
import type { Role } from '../../contract/messages/messages-projects.ts'
import type { RouteId } from '../../contract/routes/routes.ts'
import { fault, found } from '../faults/faults.ts'
import type { Parts } from '../parts.ts'
import { type Caller, checkRole, type Handlers } from '../store/access.ts'
import { makeId } from '../store/database.ts'
import { onePage, readPage } from '../store/paging.ts'
import type { ListedProject, ProjectStore } from '../store/store-projects.ts'

type ProjectRoutes = Extract<RouteId, `projects.${string}`>

/** Handlers for `/v1/projects`. A call about one project names it in the path. */
export function projectHandlers({ access, project_store, commits, clock, origins }: Parts): Handlers<ProjectRoutes> {
  /** The number of the project. Throws if the caller does not reach it in at least this role. */
  function within(caller: Caller, project_id: string, min_role: Role): number {
    const { project, role } = found(access.projectOf(caller, project_id), 'project', project_id)
    checkRole(role, min_role)
    return project
  }

  const read = (caller: Caller, project_id: string) => recordOf(project_store.find(caller, project_id)!)

  return {
    'projects.list': ({ caller, query }) => readPage(project_store.listing(caller), onePage(query), recordOf),

    'projects.create': ({ caller, body }) =>
      commits.write(() => {
        const now_ms = clock.now_ms()
        const project_id = makeId('project', now_ms)
        const project = project_store.insert(caller, project_id, body, now_ms)
        if (caller.user !== null) project_store.setMember(project, caller.user, 'owner', 'created', now_ms)
        return read(caller, project_id)
      }),

    'projects.update': ({ caller, params: { project_id }, body }) =>
      commits.write(() => {
        project_store.update(within(caller, project_id, 'owner'), body)
        return read(caller, project_id)
      }),

    'projects.members': ({ caller, params, query }) => {
      const members = project_store.members(within(caller, params.project_id, 'reader'))
      return readPage(members, query, ({ name, added_at_ms, ...member }) => {
        return { ...member, name: name ?? undefined, added_at: isoTime(added_at_ms) }
      })
    },

    'projects.invite': async ({ caller, params: { project_id }, body: { email, role } }) => {
      const { created_at_ms, ...invitation } = await commits.write(() => {
        const project = within(caller, project_id, 'owner')
        const now_ms = clock.now_ms()
        const user = project_store.userWith(email)
        if (user !== undefined) makeMember(project_store, project, user, role, now_ms)
        const invitation_id = makeId('invitation', now_ms)
        return project_store.invite(project, { invitation_id, email, role, created_at_ms: now_ms })
      })
      const url = `${origins.api}/invitations/${invitation.invitation_id}`
      return { ...invitation, url, created_at: isoTime(created_at_ms) }
    },

    'projects.uninvite': ({ caller, params: { project_id, invitation_id } }) =>
      commits.write(() => {
        if (project_store.uninvite(within(caller, project_id, 'owner'), invitation_id)) return
        throw fault('publicapi.invitation.not_found', { id: invitation_id })
      }),
  }
}

/**
 * Makes a known user a member at once, or changes the role of a member (D-05). Throws if the
 * project would lose its only owner.
 */
function makeMember(projects: ProjectStore, project: number, user: number, role: Role, now_ms: number): void {
  if (role !== 'owner' && projects.isLastOwner(project, user)) {
    throw fault('publicapi.tenancy.role.last_owner')
  }
  projects.setMember(project, user, role, 'invited', now_ms)
}

function recordOf({ project_id, name, description, is_default }: ListedProject) {
  return { project_id, name, description: description ?? undefined, default: is_default === 1 }
}
