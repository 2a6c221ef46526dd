import { humaneOf } from '../contract/errors.ts'

/** The answer to one read of a turn's message. */
export interface ShownTurn {
  /** As the service writes it; absent if none is shown. */
  status?: string
  /** Markdown. May be empty beside `done`. */
  response?: string
}

/** `note`: what the report or the answer must say beside it. */
export type TurnVerdict =
  | { state: 'running' }
  /** Too late, but the text may be the answer: read on until `reads_alike` reads are compared. */
  | { state: 'unsure' }
  | { state: 'answered'; answer: string; note?: string }
  /** `said`: the text beside the error as the end of a message; empty without one. */
  | { state: 'failed'; said: string }

/** A text that so many reads in a row show, beside the same status, does not grow any more. */
export const reads_alike = 3

/** Statuses that mean: not yet. Any other but `done` and `error` is unknown. */
const known_unfinished = 'running'

/**
 * Decides whether a turn has ended (C-14, C-22, C-23). `reads`: the last reads that succeeded,
 * oldest first, at most `reads_alike`. `is_late`: the deadline has passed. A shown status decides,
 * whatever text stands beside it. Without a status, a text is the answer.
 */
export function judgeTurn(reads: readonly ShownTurn[], is_late: boolean): TurnVerdict {
  const { status, response = '' } = reads.at(-1) ?? {}
  if (status === undefined)
    return response === '' ? { state: 'running' } : { state: 'answered', answer: response }
  if (status === 'done') return { state: 'answered', answer: response }
  if (status === 'error') return { state: 'failed', said: saidOf(humaneOf(response)) }
  if (!is_late || status === known_unfinished || response.trim() === '') return { state: 'running' }
  if (reads.length < reads_alike) return { state: 'unsure' }
  const is_still = reads.every((read) => read.status === status && read.response === response)
  return is_still
    ? { state: 'answered', answer: response, note: noteOf(status) }
    : { state: 'running' }
}

function saidOf(text: string | undefined): string {
  return text === undefined ? '' : `; it said: ${text}`
}

function noteOf(status: string): string {
  return `the service did not say that the answer is complete (status ${status}): its text did not change in ${reads_alike} reads before the deadline`
}
