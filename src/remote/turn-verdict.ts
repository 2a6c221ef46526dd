import { humaneOf } from '../contract/errors.ts'
import type { SourceRead } from '../domain/source-read.ts'

/** The answer to one read of a turn's message. */
export interface ShownTurn {
  /** As the service writes it; absent if none is shown. */
  status?: string
  /** Markdown. May be empty beside `done`. */
  response?: string
  /** What was read for it; absent if the service does not say it. */
  sources?: readonly SourceRead[]
  /** Calls of a model. */
  calls?: number
  /** Steps done so far, of a turn that goes on. */
  done?: number
}

/** What the service says of how an answer was made; a field is absent if it does not say it. */
type ToldOfTurn = Pick<ShownTurn, 'sources' | 'calls'>

/** `note`: what the report or the answer must say beside it. */
export type TurnVerdict =
  | { state: 'running' }
  /** Too late, but the text may be the answer: read on until `reads_alike` reads are compared. */
  | { state: 'unsure' }
  | { state: 'answered'; answer: string; told: ToldOfTurn; note?: string }
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
  const { status, response = '', sources, calls } = reads.at(-1) ?? {}
  const told = { ...(sources && { sources }), ...(calls !== undefined && { calls }) }
  const answered = { state: 'answered', answer: response, told } as const
  if (status === undefined) return response === '' ? { state: 'running' } : answered
  if (status === 'done') return answered
  if (status === 'error') return { state: 'failed', said: saidOf(humaneOf(response)) }
  if (!is_late || status === known_unfinished || response.trim() === '') return { state: 'running' }
  if (reads.length < reads_alike) return { state: 'unsure' }
  const is_still = reads.every((read) => read.status === status && read.response === response)
  return is_still ? { ...answered, note: noteOf(status) } : { state: 'running' }
}

/**
 * True if the last read shows a sign of life that none before it showed: a turn that does another
 * step goes on, however long it takes.
 */
export function showsLife(reads: readonly ShownTurn[]): boolean {
  const last = reads.at(-1)?.done
  return last !== undefined && reads.slice(0, -1).every(({ done }) => done !== last)
}

function saidOf(text: string | undefined): string {
  return text === undefined ? '' : `; it said: ${text}`
}

function noteOf(status: string): string {
  return `the service did not say that the answer is complete (status ${status}): its text did not change in ${reads_alike} reads before the deadline`
}
