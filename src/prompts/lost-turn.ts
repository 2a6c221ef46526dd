import type { RunFact } from '../domain/run.ts'
import type { RunWork } from '../ledger/prompt-work.ts'

/** How a turn is lost, by the code of the failure. The run's notes begin with these words. */
const losses = {
  'turn.lost': 'the question was not found on the service',
  'answer.error': 'the service ended the turn with an error',
} as const

/**
 * A lost turn is asked once more for each way in which it may be lost, and that once only: one that was not found after it had been
 * looked for, and one that the service ended. Then the run fails.
 */
export function lostTurn({ run, turn, turns, notes }: RunWork, code: keyof typeof losses): RunFact {
  const what = losses[code]
  // The newest losses that were noted are this turn's: turns are asked one after the other.
  const all = notes.filter((note) => Object.values(losses).some((words) => note.startsWith(words)))
  const { asked_again } = turns[turn]!
  const before = asked_again === 0 ? [] : all.slice(-asked_again)
  // One that was not noted may have been of either kind.
  const may_repeat = before.length === asked_again && !before.some((note) => note.startsWith(what))
  if (may_repeat) return { type: 'turn_lost', run, why: `${what}: asked once more` }
  return { type: 'run_failed', run, error: { code, message: `${what}, twice; its files stay fresh for the next run` } }
}
