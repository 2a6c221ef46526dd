import type { ContentState } from '../domain/content.ts'

/** Worker that handles a content next: `send` is the uploader, `follow` the follower. */
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

/** SQL for the value of `queue` in a row of `contents`. */
export const queue_by_state = `CASE state ${Object.entries(by_state)
  .map(([state, queue]) => `WHEN '${state}' THEN ${queue ? `'${queue}'` : 'NULL'}`)
  .join(' ')} END`

/** Conditions on a row of `contents`, word for word as in its indexes, or SQLite ignores these. */
export const to_send = `queue = 'send'`
export const underway = 'queue IS NOT NULL'
