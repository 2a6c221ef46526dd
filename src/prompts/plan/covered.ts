import type { SourceRead } from '../../domain/source-read.ts'

/** Runs that ask about a file and get nothing from it. Nothing is asked for ever. */
const max_asked = 3

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
