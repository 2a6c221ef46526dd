import { mayHangAt } from '../../base/files/mount-table.ts'
import { path_patience_ms, slow_ms } from '../../base/files/paths.ts'
import { SluiceError } from '../../base/run/errors.ts'
import { startThread, type Thread } from '../../base/run/thread.ts'
import { formatDuration } from '../../base/text/format.ts'
import { type Clock, minute_ms, system_clock, within } from '../../base/time/time.ts'
import type { OnlineRoot, RootStatus } from './root.ts'

export type RootAsker = ReturnType<typeof startRootAsker>

/** Maximum age of a filesystem's id while the root stays the same. Reading it starts a program. */
const max_id_age_ms = minute_ms

/** Waits in parts: after a sleep of the machine, a clock jump costs only one part. */
const parts = 10

interface Identified {
  status: OnlineRoot
  asked_ms: number
}

interface Question {
  answer: Promise<RootStatus>
  /** Always reads the filesystem's id. False: only after a change, or if the known id is old. */
  is_doubtful: boolean
  /** A thread checks already and may miss changes from now on. */
  has_begun: boolean
  /** Callers have waited so long in vain: one with less patience does not wait again. */
  late_ms: number
}

/** Little memory: it lives as long as the daemon, for one small answer every few seconds. */
function startAskingThread(): Thread {
  return startThread('disk/root/root-thread', undefined, { young_mb: 1 })
}

/**
 * Checks roots. On an unresponsive mount (a hard one without its server) a call never returns, so
 * each has its own thread. A root has one open call at most, whose answer is for all callers.
 * `onSlow` is called once for each call that has no answer yet after a second.
 */
export function startRootAsker(clock: Clock, onSlow?: (root: string) => void) {
  const threads = new Set<Thread>()
  const idle: Thread[] = []
  const questions = new Map<string, Question>()
  const identified = new Map<string, Identified>()
  let closed = false

  /** `after`: the open call for this root, which must answer first. */
  function begin(root: string, is_doubtful: boolean, after?: Promise<RootStatus>): Question {
    const question = {
      answer: begun(),
      is_doubtful,
      has_begun: after === undefined,
      late_ms: 0,
    }
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

  /** Keeps an online answer. One that equals `before` did not read the id, so its age stays. */
  function remember(root: string, status: RootStatus, before: OnlineRoot | undefined): void {
    if (status.kind === 'offline') identified.delete(root)
    else if (before?.identity !== status.identity || before?.device !== status.device)
      identified.set(root, { status, asked_ms: clock.monotonic_ms() })
  }

  async function ask(root: string, before: OnlineRoot | undefined): Promise<RootStatus> {
    const thread = idle.pop() ?? startAskingThread()
    threads.add(thread)
    try {
      // The start of a thread on a busy machine is no silence of the root.
      await thread.call('ready', undefined)
      const asked = thread.call<RootStatus>('status', { root, before })
      if (onSlow && !(await within(asked, slow_ms, clock))) onSlow(root)
      const status = await asked
      remember(root, status, before)
      if (!closed) idle.push(thread)
      return status
    } catch (error) {
      threads.delete(thread)
      throw error
    }
  }

  async function waitFor(question: Question, limit_ms: number): Promise<RootStatus | undefined> {
    const part_ms = limit_ms / parts
    // Another caller may have waited for as long.
    for (let waited_ms = 0; question.late_ms < limit_ms; waited_ms += part_ms) {
      if (waited_ms >= limit_ms) question.late_ms = limit_ms
      else {
        const status = await within(question.answer, part_ms, clock)
        if (status) return status
      }
    }
    return undefined
  }

  return {
    /**
     * As `identifiedRoot`, or `no answer` after `limit_ms`. Without `doubtful`, the check may have
     * begun before the call, and the id may be a minute old. Error after `close`: `thread.ended`.
     */
    async status(
      root: string,
      limit_ms: number,
      { doubtful } = { doubtful: false },
    ): Promise<RootStatus> {
      // A thread that starts now would not be ended, and may wait for ever on its mount.
      if (closed)
        throw new SluiceError({
          code: 'thread.ended',
          message: `${root} is not asked about any more`,
        })
      const open = questions.get(root)
      // A check that began before the doubt may have missed it. A silent root gets no second call.
      const is_enough =
        open && (open.late_ms > 0 || !doubtful || (open.is_doubtful && !open.has_begun))
      const status = await waitFor(is_enough ? open : begin(root, doubtful, open?.answer), limit_ms)
      if (status) return status
      const detail = `${root} does not answer within ${formatDuration(limit_ms)}`
      return { kind: 'offline', reason: 'no answer', detail }
    },
    async close(): Promise<void> {
      closed = true
      // A thread at work may be inside a call that never returns.
      const busy = [...threads].filter((thread) => !idle.includes(thread))
      for (const thread of busy) void thread.terminate()
      await Promise.all(idle.map((thread) => thread.terminate()))
    },
  }
}

/** The time limit of a root, and the way to check whether it answers. */
export interface Silence {
  roots: Pick<RootAsker, 'status'>
  answer_ms: number
  /** The limit of one root; absent: `answer_ms` for all. */
  limitOf?(root: string): number
}

/**
 * For a command, whose user waits: less patience with a root on a share. A local disk may take
 * seconds to start turning.
 */
export function impatient({ roots, answer_ms }: Silence): Silence {
  const limits_ms = new Map<string, number>()
  return {
    roots,
    answer_ms,
    limitOf(root) {
      const limit_ms = limits_ms.get(root) ?? (mayHangAt(root) ? path_patience_ms : answer_ms)
      limits_ms.set(root, limit_ms)
      return limit_ms
    },
  }
}

/** For a command. `close` it at the end. */
export function watchRoots(
  answer_ms: number,
  onSlow?: (root: string) => void,
): Silence & { close(): void } {
  const roots = startRootAsker(system_clock, onSlow)
  return { ...impatient({ roots, answer_ms }), close: () => void roots.close() }
}

/**
 * Waits for the work below a root. Work that takes longer than the limit may also be a large file
 * or a slow disk, so this asks its root, again after each limit, and calls `giveUp` if that
 * does not answer. An error of `giveUp` ends the wait. Without `silence` it only waits.
 */
export async function unlessSilent<Answer>(
  root: string,
  silence: Silence | undefined,
  work: Promise<Answer>,
  giveUp: () => void,
): Promise<Answer> {
  if (!silence) return work
  for (;;) {
    const answer = await within(work, limitOf(root, silence), system_clock)
    if (answer !== undefined) return answer
    if (await isSilent(root, silence)) giveUp()
  }
}

function limitOf(root: string, silence: Silence): number {
  return silence.limitOf?.(root) ?? silence.answer_ms
}

export async function isSilent(root: string, silence: Silence): Promise<boolean> {
  // The root asker may end before the work.
  const status = await silence.roots.status(root, limitOf(root, silence)).catch(() => undefined)
  return status?.kind === 'offline' && status.reason === 'no answer'
}
