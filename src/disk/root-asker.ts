import { SluiceError } from '../base/errors.ts'
import { formatDuration } from '../base/format.ts'
import { startThread, type Thread } from '../base/thread.ts'
import type { Clock } from '../base/time.ts'
import type { RootStatus } from './mount.ts'

/** Asks what stands at the roots of folders. On a dead share (a hard mount whose server is gone) that call never returns. */
export interface RootAsker {
  /** As `rootStatus`; `no answer` when there is none within the time. Rejects with `thread.ended` after `close`. */
  status(root: string, limit_ms: number): Promise<RootStatus>
  close(): Promise<void>
}

/** Waited for in parts: a machine that slept, whose clock jumps, has not waited, and loses one of them. */
const parts = 10

interface Question {
  answer: Promise<RootStatus>
  /** It was waited for in vain before: nobody waits for it again. */
  is_late: boolean
}

/**
 * In threads of their own, which a dead share may keep: one call at a time each, so that it holds up nobody who asks about another
 * root. A root is asked about once; while that has no answer, it is the answer for all.
 */
export function startRootAsker(clock: Clock): RootAsker {
  const threads = new Set<Thread>()
  const idle: Thread[] = []
  const questions = new Map<string, Question>()
  let closed = false

  function begin(root: string): Question {
    const question = { answer: ask(root), is_late: false }
    questions.set(root, question)
    const forget = () => void questions.delete(root)
    question.answer.then(forget, forget)
    return question
  }

  async function ask(root: string): Promise<RootStatus> {
    // It lives as long as the daemon, for one small answer every few seconds.
    const thread = idle.pop() ?? startThread('disk/root-thread', undefined, { young_mb: 1 })
    threads.add(thread)
    try {
      const status = await thread.call<RootStatus>('status', { root })
      if (!closed) idle.push(thread)
      return status
    } catch (error) {
      threads.delete(thread)
      throw error
    }
  }

  async function waitFor(question: Question, limit_ms: number): Promise<RootStatus | undefined> {
    if (question.is_late) return undefined
    const answered = new AbortController()
    const patience = async () => {
      for (let part = 0; part < parts && !answered.signal.aborted; part += 1) {
        await clock.sleep(limit_ms / parts, answered.signal)
      }
      return undefined
    }
    try {
      const status = await Promise.race([question.answer, patience()])
      question.is_late = status === undefined
      return status
    } finally {
      answered.abort()
    }
  }

  return {
    async status(root, limit_ms) {
      // One that begins now is ended by nobody, and on a dead share never by itself.
      if (closed) throw new SluiceError({ code: 'thread.ended', message: `${root} is not asked about any more` })
      const status = await waitFor(questions.get(root) ?? begin(root), limit_ms)
      if (status) return status
      const detail = `${root} does not answer within ${formatDuration(limit_ms)}`
      return { kind: 'offline', reason: 'no answer', detail }
    },
    async close() {
      closed = true
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}
