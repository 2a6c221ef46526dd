import { serveCalls, startThread, type Thread } from '../run/thread.ts'
import { system_clock, within } from '../time/time.ts'
import { type Asked, patienceWith, type Question } from './paths.ts'

/** A local disk answers in less. */
const turn_ms = 50

/**
 * Asks for the paths of ask-paths.ts, one after the other. A path that takes longer keeps its
 * thread, and the next ones go on in another.
 */
serveCalls(() => {
  const idle: Thread[] = []
  let turn: Promise<unknown> = Promise.resolve()

  /** The start of a thread on a busy machine is no silence of a path. */
  async function idleThread(): Promise<Thread> {
    const thread = idle.pop() ?? startThread('base/files/path-thread', undefined, { young_mb: 1 })
    await thread.call('ready', undefined)
    return thread
  }

  async function answerTo(question: Question): Promise<Asked> {
    const thread = await idleThread()
    const asked = thread.call<Asked>('ask', question)
    void asked.then(() => idle.push(thread))
    return (await within(asked, patienceWith(question.path), system_clock)) ?? { is_silent: true }
  }

  return {
    /** With a thread, so that the caller counts no start of one. */
    async ready(): Promise<true> {
      idle.push(await idleThread())
      return true
    },
    ask(question: Question): Promise<Asked> {
      const answer = turn.then(() => answerTo(question))
      turn = turn.then(() => within(answer, turn_ms, system_clock))
      return answer
    },
  }
})
