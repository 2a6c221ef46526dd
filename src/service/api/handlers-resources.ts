import { isoTime, isZone } from '../../base/time/time.ts'
import type { ListQuery } from '../../contract/envelope.ts'
import type { ErrorCode } from '../../contract/errors.ts'
import { every_file_skill } from '../../contract/every-file-skill.ts'
import type { SessionTurn } from '../../contract/messages/messages-resources.ts'
import type { AnswerOf, RouteId } from '../../contract/routes/routes.ts'
import { fault, found } from '../faults/faults.ts'
import type { Parts } from '../parts.ts'
import { type Caller, checkRole, type Handlers, type Who } from '../store/access.ts'
import { makeId } from '../store/database.ts'
import { type Listing, onePage, readPage } from '../store/paging.ts'
import type {
  LabelFields,
  LabelRow,
  ResourceKind,
  ResourceReach,
  ResourceRow,
} from '../store/store-resources.ts'
import { builtInById, isBuiltIn, withBuiltIn } from './built-in-skill.ts'
import { findAsset } from './handlers-assets.ts'

// biome-ignore lint/suspicious/noExplicitAny: the route checks it, the group knows its shape
type Fields = any

/** The differences between skills, memories, actions and sessions. The rest is the same for all. */
interface ResourceGroup {
  kind: ResourceKind
  /** True: an update replaces all fields. Absent: fields that are left out stay as they are. */
  update_replaces?: true
  /** Checks the fields before they are written; throws a fault. */
  check?(fields: Fields): void
  /** True if only its maker can see it. What a key without a user makes, everybody sees. */
  isOwn?(fields: Fields): boolean
  /** The fault for the name of another resource that the caller sees. Absent: names may repeat. */
  name_taken?: ErrorCode
  /** The fields of the record after its id. */
  record(row: ResourceRow, fields: Fields): object
  listItem?(row: ResourceRow, fields: Fields): object
  /** True: the list is one full page, whatever its limit. */
  in_one_answer?: true
}

/** The key of a group is the first part of its routes' ids, such as `skills.list`. */
const groups = {
  skills: {
    kind: 'skill',
    isOwn: ({ scope }) => scope === 'user',
    name_taken: 'publicapi.skill.name_taken',
    record: (row, fields) => ({ ...fields, enabled: row.enabled === 1, ...times(row) }),
  },
  memories: {
    kind: 'memory',
    isOwn: ({ scope }) => scope !== 'project',
    record: (row, { scope = row.owner === null ? 'project' : 'user', ...fields }) => ({
      ...fields,
      scope,
      ...times(row),
    }),
  },
  actions: {
    kind: 'action',
    update_replaces: true,
    check({ schedule }) {
      if (schedule === undefined || isZone(schedule.timezone)) return
      throw fault('publicapi.action.timing', { name: schedule.timezone })
    },
    record: (row, fields) => ({ ...fields, enabled: row.enabled === 1, ...times(row) }),
    listItem: (row, { name }) => ({
      name,
      enabled: row.enabled === 1,
      created_at: isoTime(row.created_at_ms),
    }),
    in_one_answer: true,
  },
  sessions: {
    kind: 'session',
    record: (row, { turns = [], state = 'ended', ...fields }) => ({
      ...fields,
      state,
      ...times(row),
      turns,
    }),
    listItem: (row, { turns: _, state = 'ended', ...fields }) => ({
      ...fields,
      state,
      ...times(row),
    }),
  },
} as const satisfies Record<string, ResourceGroup>

type GroupName = keyof typeof groups
type GroupRoutes = Extract<RouteId, `${GroupName}.${string}`>
type AnyCall = Who & { params: unknown; query: unknown; body: Fields }

/** Makes the handlers of all groups from the table `groups` (D-06 to D-09). */
export function resourceHandlers(parts: Parts): Handlers<GroupRoutes> {
  const handlers: Record<string, (call: AnyCall) => unknown> = {}
  for (const [name, group] of Object.entries(groups)) {
    for (const [verb, handle] of Object.entries(verbsOf(parts, group)))
      handlers[`${name}.${verb}`] = handle
  }
  const transcript: Handlers<'sessions.transcript'> = {
    'sessions.transcript': (call) => {
      const row = parts.resources.find(reachOf('session', call), call.params.session_id)
      const { fields } = found(row, 'session', call.params.session_id)
      return readPage(
        transcriptOf((JSON.parse(fields) as { turns?: SessionTurn[] }).turns),
        call.query,
        (turn) => turn,
      )
    },
  }
  return { ...handlers, ...transcript } as unknown as Handlers<GroupRoutes>
}

export function reachOf(
  kind: ResourceKind,
  { caller, project }: Pick<Who, 'caller' | 'project'>,
): ResourceReach {
  return { kind, project, user: caller.user }
}

function verbsOf({ resources, commits, clock, profile }: Parts, group: ResourceGroup) {
  const { kind } = group
  const has_built_in = kind === 'skill' && profile.reads_every_file
  const id_name = `${kind}_id`

  /** The resource with the id in the path, if the caller can see it. */
  function find(call: AnyCall): ResourceRow {
    const id = (call.params as Record<string, string>)[id_name]!
    const reach = reachOf(kind, call)
    const built_in = has_built_in ? builtInById(reach, id) : undefined
    return found(built_in ?? resources.find(reach, id), kind, id)
  }

  /** Like `find`, but a reader who changes a resource of the project gets a fault (D-05). */
  function changeable(call: AnyCall): ResourceRow {
    const row = find(call)
    if (isBuiltIn(row)) throw fault('publicapi.skill.built_in', { name: row.unique_name })
    if (row.owner === null) checkRole(call.role, 'collaborator')
    return row
  }

  const shown = (row: ResourceRow, show = group.record) => ({
    [id_name]: row.id,
    ...show(row, JSON.parse(row.fields)),
  })

  function write(call: AnyCall, fields: Fields, before: ResourceRow | undefined): object {
    const reach = reachOf(kind, call)
    group.check?.(fields)
    if (has_built_in && fields.name === every_file_skill)
      throw fault('publicapi.skill.name_taken', { name: fields.name })
    if (group.name_taken) {
      const other = resources.named(reach, fields.name)
      if (other && other.seq !== before?.seq) {
        throw fault(group.name_taken, { name: fields.name })
      }
    }
    const { enabled = before?.enabled !== 0, ...kept } = fields
    const owner = ownerOf(group, call.caller, fields, before)
    if (owner === null) checkRole(call.role, 'collaborator')
    const change = {
      owner,
      unique_name: group.name_taken ? fields.name : null,
      enabled: enabled ? 1 : 0,
      fields: JSON.stringify(kept),
    } as const
    const now_ms = clock.now_ms()
    const id = before?.id ?? makeId(kind, now_ms)
    if (before) resources.update(before.seq, { ...change, modified_at_ms: now_ms })
    else resources.insert({ ...change, id, kind, project: call.project, created_at_ms: now_ms })
    return shown(resources.find(reach, id)!)
  }

  const switchTo = (enabled: 0 | 1) => (call: AnyCall) =>
    commits.write(() => {
      // It is enabled already, so a client that enables what it uses may do so.
      if (enabled === 1 && isBuiltIn(find(call))) return shown(find(call))
      const row = changeable(call)
      if (row.enabled !== enabled)
        resources.update(row.seq, { ...row, enabled, modified_at_ms: clock.now_ms() })
      return shown(find(call))
    })

  return {
    list: (call: AnyCall) => {
      const query = group.in_one_answer
        ? onePage(call.query as ListQuery)
        : (call.query as ListQuery)
      const reach = reachOf(kind, call)
      const own = resources.listing(reach)
      const listing = has_built_in ? withBuiltIn(own, reach) : own
      return readPage(listing, query, (row) => shown(row, group.listItem))
    },
    create: (call: AnyCall) => commits.write(() => write(call, call.body, undefined)),
    read: (call: AnyCall) => shown(find(call)),
    update: (call: AnyCall) =>
      commits.write(() => {
        const before = changeable(call)
        const kept = group.update_replaces ? {} : JSON.parse(before.fields)
        return write(call, { ...kept, ...definedOnly(call.body) }, before)
      }),
    delete: (call: AnyCall) => commits.write(() => resources.remove(changeable(call))),
    enable: switchTo(1),
    disable: switchTo(0),
  }
}

/**
 * The owner after this change; null: the project. A caller who changes a resource of the project
 * becomes its owner only if the change makes it a personal one.
 */
function ownerOf(
  group: ResourceGroup,
  { user }: Caller,
  fields: Fields,
  before?: ResourceRow,
): number | null {
  if (!group.isOwn?.(fields)) return null
  return before && group.isOwn(JSON.parse(before.fields)) ? before.owner : user
}

/** The transcript of a session (D-09). Turns never change, so their positions serve as ids. */
function transcriptOf(
  turns: readonly SessionTurn[] = [],
): Listing<SessionTurn & { turn_id: string }, number> {
  const rows = turns.map((turn, place) => ({
    turn_id: `turn_${String(place).padStart(20, '0')}`,
    ...turn,
  }))
  return {
    positionOf(id) {
      const position = rows.findIndex(({ turn_id }) => turn_id === id)
      return position < 0 ? undefined : position
    },
    rowsFrom(position = -1, count, back) {
      if (back) return rows.slice(Math.max(0, position - count), position).reverse()
      return rows.slice(position + 1, position + 1 + count)
    },
    idOf: ({ turn_id }) => turn_id,
  }
}

function times({ created_at_ms, modified_at_ms }: ResourceRow): {
  created_at: string
  modified_at: string
} {
  return { created_at: isoTime(created_at_ms), modified_at: isoTime(modified_at_ms) }
}

function definedOnly(fields: object): object {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined))
}

type LabelRoutes =
  | Extract<RouteId, `labels.${string}`>
  | 'assets.attach_label'
  | 'assets.detach_label'

export function labelHandlers({
  labels,
  assets,
  commits,
  profile,
  clock,
}: Parts): Handlers<LabelRoutes> {
  const find = (project: number, label_id: string) =>
    found(labels.find(project, label_id), 'label', label_id)

  /** The label with this name; it is made if it does not exist (D-03). */
  function named(project: number, fields: LabelFields & { name: string }): LabelRow {
    const existing = labels.named(project, fields.name)
    if (existing) return existing
    const label_id = makeId('label', clock.now_ms())
    labels.insert(project, label_id, fields)
    return find(project, label_id)
  }

  return {
    'labels.list': ({ project, query }) => {
      return readPage(
        labels.listing(project),
        profile.labels_paged ? query : onePage(query),
        recordOf,
      )
    },

    'labels.create': ({ project, body }) => commits.write(() => recordOf(named(project, body))),

    'labels.read': ({ project, params }) => recordOf(find(project, params.label_id)),

    'labels.update': ({ project, params, body }) =>
      commits.write(() => {
        const row = find(project, params.label_id)
        const other = body.name === undefined ? undefined : labels.named(project, body.name)
        if (other && other.seq !== row.seq) {
          throw fault('publicapi.label.name_taken', { name: other.name })
        }
        labels.update(row.seq, body)
        return recordOf(find(project, params.label_id))
      }),

    'labels.delete': ({ project, params }) =>
      commits.write(() => labels.remove(find(project, params.label_id))),

    'assets.attach_label': ({ project, params, body }) =>
      commits.write(() => {
        const asset = findAsset(assets, project, params.asset_id)
        const { seq, label_id, name } = named(project, { name: body.label_name })
        labels.attach(asset.seq, seq)
        return { label_id, name }
      }),

    'assets.detach_label': ({ project, params }) =>
      commits.write(() => {
        const asset = findAsset(assets, project, params.asset_id)
        const label = labels.find(project, params.label_id)
        if (label) labels.detach(asset.seq, label.seq)
      }),
  }
}

function recordOf({ label_id, name, color, icon }: LabelRow): AnswerOf<'labels.read'> {
  return { label_id, name, color: color ?? undefined, icon: icon ?? undefined }
}
