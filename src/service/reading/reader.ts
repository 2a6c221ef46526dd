import { codeOf } from '../../base/run/errors.ts'
import { startThread, type Thread } from '../../base/run/thread.ts'
import { second_ms, system_clock, within } from '../../base/time/time.ts'
import type { ReaderCalls, ReaderData } from './reader-thread.ts'

/** Maximum wait of a stop for a thread or process that hangs. The next start reads its files. */
export const max_close_ms = 3 * second_ms

export type Reader = ReturnType<typeof startReader>

/**
 * Starts the reading thread with the first call, and again after it has ended. A file that ends the
 * thread only makes the calls in flight fail.
 */
export function startReader(data: ReaderData) {
  let thread: Thread | undefined

  return {
    async ask<Name extends keyof ReaderCalls>(
      name: Name,
      argument: ReaderCalls[Name]['argument'],
    ): Promise<ReaderCalls[Name]['answer']> {
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
