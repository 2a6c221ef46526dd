import type { ProjectRecord } from '../contract/messages-projects.ts'
import type { RouteId } from '../contract/routes.ts'
import type { Caller } from './access.ts'
import type { Handlers } from './handler.ts'
import { envelopeOf, type Listing, readPage } from './paging.ts'
import type { ListedProject } from './store-projects.ts'

type ProjectRoutes = Extract<RouteId, `projects.${string}`>

export function projectHandlers(listing: (caller: Caller) => Listing<ListedProject, number>): Handlers<ProjectRoutes> {
  return {
    'projects.list': ({ caller, query }) => {
      const { rows, has_more } = readPage(listing(caller), query)
      const items = rows.map(
        ({ project_id, name, description, is_default }): ProjectRecord => ({
          project_id,
          name,
          ...(description === null ? {} : { description }),
          default: is_default === 1,
        }),
      )
      return { status: 200, body: envelopeOf(items, has_more, (project) => project.project_id) }
    },
  }
}
