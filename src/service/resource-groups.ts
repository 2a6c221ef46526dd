import { isoTime, isZone } from '../base/time.ts'
import type { ErrorCode } from '../contract/error-codes.ts'
import type { ActionListItem, ActionRecord } from '../contract/messages-actions.ts'
import type { MemoryRecord } from '../contract/messages-memories.ts'
import type { SessionRecord } from '../contract/messages-sessions.ts'
import type { SkillRecord } from '../contract/messages-skills.ts'
import { fault } from './faults.ts'

import type { ResourceKind, ResourceRow } from './store-resources.ts'

// biome-ignore lint/suspicious/noExplicitAny: what was sent, checked by the schema of its route; each group knows its own shape
export type Fields = any

/** What is particular about a group; all else is the same for each of them (handlers-resources). */
export interface ResourceGroup {
  kind: ResourceKind
  not_found: ErrorCode
  /** Whether an update replaces the whole; otherwise what is left out stays. */
  update_replaces: boolean
  /** Told of a thing before it is written; throws the fault that it is. */
  check?(fields: Fields): void
  /** Whether its maker alone sees it. */
  isOwn(fields: Fields): boolean
  /** Only one of those that somebody sees may have this name; the fault where there is one already. */
  name_taken?: ErrorCode
  record(row: ResourceRow, fields: Fields): object
  listItem?(row: ResourceRow, fields: Fields): object
}

const skills: ResourceGroup = {
  kind: 'skill',
  not_found: 'publicapi.skill.not_found',
  update_replaces: false,
  isOwn: ({ scope }) => scope === 'user',
  name_taken: 'publicapi.skill.name_taken',
  record: (row, fields): SkillRecord => ({
    skill_id: row.id,
    ...fields,
    enabled: row.enabled === 1,
    ...times(row),
  }),
}

const memories: ResourceGroup = {
  kind: 'memory',
  not_found: 'publicapi.memory.not_found',
  update_replaces: false,
  isOwn: () => true,
  record: (row, fields): MemoryRecord => ({
    memory_id: row.id,
    ...fields,
    scope: row.owner === null ? 'project' : 'user',
    ...times(row),
  }),
}

const actions: ResourceGroup = {
  kind: 'action',
  not_found: 'publicapi.action.not_found',
  update_replaces: true,
  check({ schedule }) {
    if (schedule === undefined || isZone(schedule.timezone)) return
    throw fault('publicapi.action.timing', `schedule.timezone: there is no time zone ${schedule.timezone}.`)
  },
  isOwn: () => false,
  record: (row, { enabled: _, ...fields }): ActionRecord => ({
    action_id: row.id,
    ...fields,
    enabled: row.enabled === 1,
    ...times(row),
  }),
  listItem: (row, { name }): ActionListItem => ({
    action_id: row.id,
    name,
    enabled: row.enabled === 1,
    created_at: isoTime(row.created_at_ms),
  }),
}

const sessions: ResourceGroup = {
  kind: 'session',
  not_found: 'publicapi.session.not_found',
  update_replaces: false,
  isOwn: () => false,
  record: (row, { turns = [], ...fields }): SessionRecord => ({
    session_id: row.id,
    ...fields,
    ...times(row),
    turns,
  }),
  listItem: (row, { turns: _, ...fields }) => ({ session_id: row.id, ...fields, ...times(row) }),
}

/** By the first word of their routes. */
export const resource_groups = { skills, memories, actions, sessions } as const

export type GroupName = keyof typeof resource_groups

function times({ created_at_ms, modified_at_ms }: ResourceRow): { created_at: string; modified_at: string } {
  return { created_at: isoTime(created_at_ms), modified_at: isoTime(modified_at_ms) }
}
