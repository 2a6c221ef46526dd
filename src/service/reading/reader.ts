import { codeOf, SluiceError } from '../../base/run/errors.ts'
import { startThread, type Thread } from '../../base/run/thread.ts'
import { second_ms, system_clock, within } from '../../base/time/time.ts'
import type { ReaderCalls, ReaderData } from './reader-thread.ts'

/** Maximum wait of a stop for a thread or process that hangs. The next start reads its files. */
export const max_close_ms = 3 * second_ms

export type Reader = ReturnType<typeof startReader>

/**
 * Starts the reading thread with the first call, and again after it has ended. A file that ends the
 * thread only makes the calls in flight fail. After `close` no call starts a thread: a worker that
 * did not end in time would leave one that nothing ends.
 */
export function startReader(data: ReaderData) {
  let thread: Thread | undefined
  let is_closed = false

  return {
    async ask<Name extends keyof ReaderCalls>(
      name: Name,
      argument: ReaderCalls[Name]['argument'],
    ): Promise<ReaderCalls[Name]['answer']> {
      if (is_closed)
        throw new SluiceError({ code: 'thread.ended', message: 'the reading thread has ended' })
      thread ??= startThread('service/reading/reader-thread', data)
      const asked = thread
      try {
        return await asked.call(name, argument)
      } catch (error) {
        if (isThreadDeath(error) && thread === asked) thread = undefined
        throw error
      }
    },
    async close(): Promise<void> {
      is_closed = true
      const last = thread
      if (!last) return
      // Closing the databases writes their logs back. If the thread has failed before, there is
      // nothing to close.
      const closed = last.call('close', null).catch(() => {})
      await within(closed, max_close_ms, system_clock)
      // A thread inside a read that never returns (an unresponsive mount) cannot even be ended.
      await within(last.terminate(), max_close_ms, system_clock)
    },
  }
}

export function isThreadDeath(error: unknown): boolean {
  return codeOf(error)?.startsWith('thread.') ?? false
}
