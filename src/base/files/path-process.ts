import { serveCalls, startThread, type Thread } from '../run/thread.ts'
import { system_clock, within } from '../time/time.ts'
import type { Question } from './paths.ts'

/** A local disk answers in less. */
const turn_ms = 50

/**
 * Asks for the paths of ask-paths.ts, one after the other. A path that takes longer keeps its
 * thread, and the next ones go on in another.
 */
serveCalls(() => {
  const idle: Thread[] = []
  let turn: Promise<unknown> = Promise.resolve()

  async function answerTo(question: Question): Promise<unknown> {
    const thread = idle.pop() ?? startThread('base/files/path-thread', undefined, { young_mb: 1 })
    try {
      return await thread.call(question.method, question)
    } finally {
      idle.push(thread)
    }
  }

  return {
    ready: () => true,
    ask(question: Question) {
      const answer = turn.then(() => answerTo(question))
      turn = turn.then(() =>
        within(
          answer.catch(() => {}),
          turn_ms,
          system_clock,
        ),
      )
      return answer
    },
  }
})
