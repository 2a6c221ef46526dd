import type { RunTurn } from '../../domain/run.ts'
import type { SourceRead } from '../../domain/source-read.ts'
import { known_notes } from '../words.ts'

/** Runs that ask about a file and get nothing from it. Nothing is asked for ever. */
const max_asked = 3

/** Characters. A shorter answer, such as "Nothing new.", may well be right twice. */
const max_repeated = 200

/**
 * What becomes of a file that a written run asked about. `covered`: it is not fresh any more.
 * `left`: the next run asks about it again. `given_up`: covered, but nothing was got from it.
 */
export type Fate = 'covered' | 'left' | 'given_up'

/** A service that does not say what it read (undefined) covers what it was asked about. Pure. */
export function fateOf(
  { times_unread }: { times_unread: number },
  read: SourceRead['read'] | undefined,
  is_empty: boolean,
): Fate {
  if (!is_empty && read !== 'not') return 'covered'
  return times_unread + 1 < max_asked ? 'left' : 'given_up'
}

/**
 * Why the answers of a run are no report, as a clause; undefined if they are one. Pure.
 * `last_answer`: of the prompt's last report, if that covers other files.
 */
export function emptyWhy(
  files: readonly { read: SourceRead['read'] | undefined }[],
  turns: readonly Pick<RunTurn, 'answer'>[],
  last_answer: string | undefined,
): string | undefined {
  const answers = turns.map(({ answer = '' }) => answer.trim())
  const answer = answers.at(-1) ?? ''
  if (answers.every((text) => text === '')) return known_notes.no_answer
  if (files.length > 0 && files.every(({ read }) => read === 'not')) return known_notes.read_none
  if (answer.length > max_repeated && answer === last_answer?.trim()) return known_notes.same_answer
  return undefined
}
