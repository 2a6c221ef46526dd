import type { Sqlite } from '../base/sqlite.ts'
import type { ContentState } from '../domain/content.ts'

/** Whose work a content is: the uploader's, or the follower's. */
export type ContentQueue = 'send' | 'follow'

const by_state: Record<ContentState, ContentQueue | undefined> = {
  wanted: 'send',
  reserving: 'send',
  reserved: 'send',
  sent: 'send',
  ingesting: 'follow',
  ready: undefined,
  refused: undefined,
  removed_on_service: undefined,
  abandoned: undefined,
  removing: undefined,
}

export function queueOf(state: ContentState): ContentQueue | undefined {
  return by_state[state]
}

export const content_states = Object.keys(by_state)

/** SQL for what `queue` must be in a row of `contents`. */
export const queue_by_state = `CASE state ${Object.entries(by_state)
  .map(([state, queue]) => `WHEN '${state}' THEN ${queue ? `'${queue}'` : 'NULL'}`)
  .join(' ')} END`

/** Conditions on a row of `contents`, word for word those of its indexes. */
export const to_send = `queue = 'send'`
export const underway = 'queue IS NOT NULL'

const first_with_queues = 5

/** The same for a reader, who may come before the first start that brings an older ledger to this version. */
export function queueConditions(database: Sqlite): { to_send: string; underway: string } {
  const version = database.pragma('user_version', { simple: true }) as number
  if (version >= first_with_queues) return { to_send, underway }
  const in_states = (queues: readonly (ContentQueue | undefined)[]) => {
    const states = Object.entries(by_state).filter(([, queue]) => queues.includes(queue))
    return `state IN (${states.map(([state]) => `'${state}'`).join(', ')})`
  }
  return { to_send: in_states(['send']), underway: in_states(['send', 'follow']) }
}
