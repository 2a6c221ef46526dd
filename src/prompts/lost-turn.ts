import type { RunFact } from '../domain/run.ts'
import type { RunWork } from '../ledger/prompt-work.ts'

/** How a turn is lost, by the code of the failure. The run's notes begin with these words. */
const losses = {
  'turn.lost': 'the question was not found on the service',
  'answer.error': 'the service ended the turn with an error',
} as const

/** A lost turn is asked once more, and that once only, however it was lost; then the run fails, and says what happened each time. */
export function lostTurn({ run, turn, turns, notes }: RunWork, code: keyof typeof losses): RunFact {
  const what = losses[code]
  if (turns[turn]!.asked_again === 0) return { type: 'turn_lost', run, why: `${what}: asked once more` }
  // The newest loss that was noted is this turn's: turns are asked one after the other.
  const last = notes.findLast((note) => Object.values(losses).some((words) => note.startsWith(words)))
  const before = Object.values(losses).find((words) => last?.startsWith(words)) ?? what
  const message = before === what ? `${what}, twice` : `${before}; asked once more, and ${what}`
  return { type: 'run_failed', run, error: { code, message: `${message}; its files stay fresh for the next run` } }
}
