import { isoTime } from '../../base/time/time.ts'
import type { Role } from '../../contract/messages/messages-projects.ts'
import type { RouteId } from '../../contract/routes/routes.ts'
import { fault, found } from '../faults/faults.ts'
import type { Parts } from '../parts.ts'
import { type Caller, checkRole, type Handlers } from '../store/access.ts'
import { makeId } from '../store/database.ts'
import { onePage, readPage } from '../store/paging.ts'
import type { ListedProject } from '../store/store-projects.ts'

type ProjectRoutes = Extract<RouteId, `projects.${string}`>

/** Handlers for `/v1/projects`. A call about one project names it in the path. */
export function projectHandlers({
  access,
  project_store,
  administration,
  commits,
  clock,
}: Parts): Handlers<ProjectRoutes> {
  /** The number of the project. Throws if the caller does not reach it in at least this role. */
  function within(caller: Caller, project_id: string, min_role: Role): number {
    const { project, role } = found(access.projectOf(caller, project_id), 'project', project_id)
    checkRole(role, min_role)
    return project
  }

  const read = (caller: Caller, project_id: string) =>
    recordOf(project_store.find(caller, project_id)!)

  return {
    'projects.list': ({ caller, query }) =>
      readPage(project_store.listing(caller), onePage(query), recordOf),

    'projects.create': ({ caller, body }) =>
      commits.write(() => {
        if (caller.every_project === 0) throw fault('publicapi.project.create.limited_key')
        const now_ms = clock.now_ms()
        const project_id = makeId('project', now_ms)
        const project = project_store.insert(caller, project_id, body, now_ms)
        if (caller.user !== null)
          project_store.setMember(project, caller.user, 'owner', 'created', now_ms)
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
      const { invitation_id, url, ...invited } = await commits.write(() => {
        const project = within(caller, project_id, 'owner')
        if (role !== 'owner' && project_store.isLastOwner(project, email)) {
          throw fault('publicapi.tenancy.role.last_owner')
        }
        // A member has accepted before.
        project_store.setRole(project, email, role)
        return administration.members.invite(project, email, role, 'owner')
      })
      return {
        invitation_id,
        email: invited.email,
        role,
        url,
        created_at: isoTime(invited.created_at_ms),
      }
    },

    'projects.uninvite': ({ caller, params: { project_id, invitation_id } }) =>
      commits.write(() => {
        if (administration.members.uninvite(within(caller, project_id, 'owner'), invitation_id))
          return
        throw fault('publicapi.invitation.not_found', { id: invitation_id })
      }),
  }
}

function recordOf({ project_id, name, description, is_default, role }: ListedProject) {
  return {
    project_id,
    name,
    description: description ?? undefined,
    default: is_default === 1,
    role,
  }
}
