import { SluiceError } from '../../base/run/errors.ts'
import { startThread, type Thread } from '../../base/run/thread.ts'
import { formatDuration } from '../../base/text/format.ts'
import { type Clock, minute_ms } from '../../base/time/time.ts'
import type { OnlineRoot, RootStatus } from './mount.ts'

export type RootAsker = ReturnType<typeof startRootAsker>

/**
 * How long the id of a filesystem is taken for granted where device, inode and birth of the root
 * stay the same. A program is started to ask for it, which is too much for every look at a folder
 * at rest.
 */
const max_id_age_ms = minute_ms

/** Waited for in parts: a machine that slept, whose clock jumps, has not waited, and loses one of them. */
const parts = 10

interface Identified {
  status: OnlineRoot
  asked_ms: number
}

interface Question {
  answer: Promise<RootStatus>
  /** It asks for the filesystem's id, too. */
  is_doubtful: boolean
  /** A thread looks already: what happens from now on it may not see. */
  has_begun: boolean
  /** It was waited for in vain before: nobody waits for it again. */
  is_late: boolean
}

/**
 * Asks what stands at the roots of folders. On a dead share (a hard mount whose server is gone) that call never returns.
 *
 * In threads of their own, which a dead share may keep: one call at a time each, so that it holds up nobody who asks about another
 * root. A root is asked about once; while that has no answer, it is the answer for all.
 */
export function startRootAsker(clock: Clock) {
  const threads = new Set<Thread>()
  const idle: Thread[] = []
  const questions = new Map<string, Question>()
  const identified = new Map<string, Identified>()
  let closed = false

  /** `after`: the thread that has the root now must answer first, for a root is asked about once. */
  function begin(root: string, is_doubtful: boolean, after?: Promise<RootStatus>): Question {
    const question = { answer: begun(), is_doubtful, has_begun: after === undefined, is_late: false }
    async function begun(): Promise<RootStatus> {
      await after?.catch(() => {})
      if (after) question.has_begun = true
      const last = identified.get(root)
      const is_fresh = last !== undefined && clock.monotonic_ms() - last.asked_ms <= max_id_age_ms
      return ask(root, is_doubtful || !is_fresh ? undefined : last.status)
    }
    questions.set(root, question)
    const forget = () => void (questions.get(root) === question && questions.delete(root))
    question.answer.then(forget, forget)
    return question
  }

  /** An answer that equals the one before has its id, and is as old as that. */
  function remember(root: string, status: RootStatus, before: OnlineRoot | undefined): void {
    if (status.kind === 'offline') identified.delete(root)
    else if (before?.identity !== status.identity || before?.device !== status.device)
      identified.set(root, { status, asked_ms: clock.monotonic_ms() })
  }

  async function ask(root: string, before: OnlineRoot | undefined): Promise<RootStatus> {
    // It lives as long as the daemon, for one small answer every few seconds.
    const thread = idle.pop() ?? startThread('disk/root/root-thread', undefined, { young_mb: 1 })
    threads.add(thread)
    try {
      const status = await thread.call<RootStatus>('status', { root, before })
      remember(root, status, before)
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
    /**
     * As `identifiedRoot`; `no answer` when there is none within the time. The look may have begun a
     * moment before the call, and the filesystem's id may be a minute old; neither with `doubtful`.
     * Rejects with `thread.ended` after `close`.
     */
    async status(root: string, limit_ms: number, { doubtful } = { doubtful: false }): Promise<RootStatus> {
      // One that begins now is ended by nobody, and on a dead share never by itself.
      if (closed) throw new SluiceError({ code: 'thread.ended', message: `${root} is not asked about any more` })
      const open = questions.get(root)
      // A look that began before the doubt may not have seen what the doubt is about; of a root
      // that is silent nobody asks again.
      const is_enough = open && (open.is_late || !doubtful || (open.is_doubtful && !open.has_begun))
      const status = await waitFor(is_enough ? open : begin(root, doubtful, open?.answer), limit_ms)
      if (status) return status
      const detail = `${root} does not answer within ${formatDuration(limit_ms)}`
      return { kind: 'offline', reason: 'no answer', detail }
    },
    async close(): Promise<void> {
      closed = true
      await Promise.all([...threads].map((thread) => thread.terminate()))
    },
  }
}
