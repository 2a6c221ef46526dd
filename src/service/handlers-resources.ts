import type { Clock } from '../base/time.ts'
import type { RouteId } from '../contract/routes.ts'
import type { Caller } from './access.ts'
import type { CommitGroup } from './commit-group.ts'
import { fault } from './faults.ts'
import { type Answer, type Call, type Handlers, no_content } from './handler.ts'
import { makeId } from './ids.ts'
import { envelopeOf, readPage } from './paging.ts'
import { type Fields, type GroupName, type ResourceGroup, resource_groups } from './resource-groups.ts'
import { checkRole } from './roles.ts'
import type { ResourceReach, ResourceRow, ResourceStore } from './store-resources.ts'

export interface ResourceParts {
  resources: ResourceStore
  commits: CommitGroup
  clock: Clock
}

type GroupRoutes = Exclude<Extract<RouteId, `${GroupName}.${string}`>, 'sessions.transcript'>
type AnyCall = Pick<Call<RouteId>, 'caller' | 'project' | 'role'> & { params: unknown; query: unknown; body: Fields }

/** The calls of every plain group, made from the table of the groups (D-06 to D-09). */
export function resourceHandlers(parts: ResourceParts): Handlers<GroupRoutes> {
  const handlers: Record<string, (call: AnyCall) => Answer | Promise<Answer>> = {}
  for (const [name, group] of Object.entries(resource_groups)) {
    for (const [verb, handle] of Object.entries(verbsOf(parts, group))) handlers[`${name}.${verb}`] = handle
  }
  return handlers as unknown as Handlers<GroupRoutes>
}

/** The thing of this id that the caller sees, or the fault of its group. */
export function foundResource(
  { resources }: Pick<ResourceParts, 'resources'>,
  group: ResourceGroup,
  who: { caller: Caller; project: number },
  id: string,
): ResourceRow {
  const row = resources.find(reachOf(group, who), id)
  if (!row) throw fault(group.not_found, `There is no ${group.kind} ${id} in this project.`)
  return row
}

export function reachOf(
  { kind }: ResourceGroup,
  { caller, project }: { caller: Caller; project: number },
): ResourceReach {
  return { kind, project, user: caller.user }
}

function verbsOf(parts: ResourceParts, group: ResourceGroup) {
  const { resources, commits, clock } = parts
  const found = (call: AnyCall) =>
    foundResource(parts, group, call, (call.params as Record<string, string>)[`${group.kind}_id`]!)
  /** The same, to be changed: what belongs to nobody is everybody's, and no reader's to change (D-05). */
  const changeable = (call: AnyCall) => {
    const row = found(call)
    if (row.owner === null) checkRole(call.role, 'collaborator')
    return row
  }
  const shown = (row: ResourceRow) => group.record(row, JSON.parse(row.fields))
  const item = (row: ResourceRow) => (group.listItem ?? group.record)(row, JSON.parse(row.fields))

  function write(call: AnyCall, fields: Fields, before: ResourceRow | undefined): ResourceRow {
    group.check?.(fields)
    checkName(parts, group, call, fields, before)
    const enabled = (fields.enabled ?? before?.enabled !== 0) ? 1 : 0
    const { enabled: _, ...kept } = fields
    const change = {
      owner: ownerOf(group, call.caller, fields, before),
      unique_name: group.name_taken ? fields.name : null,
      enabled,
      fields: JSON.stringify(kept),
    } as const
    const now_ms = clock.now_ms()
    const id = before?.id ?? makeId(group.kind, now_ms)
    if (before) resources.update(before.seq, { ...change, modified_at_ms: now_ms })
    else resources.insert({ ...change, id, kind: group.kind, project: call.project, created_at_ms: now_ms })
    return resources.find(reachOf(group, call), id)!
  }

  const switchTo = (enabled: 0 | 1) => (call: AnyCall) =>
    commits.write(() => {
      const row = changeable(call)
      if (row.enabled !== enabled) resources.update(row.seq, { ...row, enabled, modified_at_ms: clock.now_ms() })
      return { status: 200, body: shown(found(call)) }
    })

  return {
    list: (call: AnyCall) => {
      const query = call.query as Parameters<typeof readPage>[1]
      const { rows, has_more } = readPage(resources.listing(reachOf(group, call)), query)
      const page = envelopeOf(rows, has_more, ({ id }) => id)
      return { status: 200, body: { ...page, data: page.data.map(item) } }
    },

    create: (call: AnyCall) => commits.write(() => ({ status: 201, body: shown(write(call, call.body, undefined)) })),

    read: (call: AnyCall) => ({ status: 200, body: shown(found(call)) }),

    update: (call: AnyCall) =>
      commits.write(() => {
        const before = changeable(call)
        const fields = group.update_replaces ? call.body : { ...JSON.parse(before.fields), ...definedOnly(call.body) }
        return { status: 200, body: shown(write(call, fields, before)) }
      }),

    delete: (call: AnyCall) =>
      commits.write(() => {
        resources.remove(changeable(call))
        return no_content
      }),

    enable: switchTo(1),
    disable: switchTo(0),
  }
}

/** Whose it is from now on. Who changes what nobody owns does not come to own it, as long as it is of the kind that one owns. */
function ownerOf(
  group: ResourceGroup,
  { user }: Caller,
  fields: Fields,
  before: ResourceRow | undefined,
): number | null {
  if (!group.isOwn(fields)) return null
  return before && group.isOwn(JSON.parse(before.fields)) ? before.owner : user
}

function checkName(
  { resources }: ResourceParts,
  group: ResourceGroup,
  call: AnyCall,
  { name }: Fields,
  before: ResourceRow | undefined,
): void {
  if (!group.name_taken) return
  const other = resources.named(reachOf(group, call), name)
  if (other && other.seq !== before?.seq) {
    throw fault(group.name_taken, `Another ${group.kind} that you can use has the name ${name}.`)
  }
}

function definedOnly(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}
