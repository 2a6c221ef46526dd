import { startThread, type Thread } from '../base/thread.ts'
import { type Clock, second_ms } from '../base/time.ts'

/** Where the threads of walks come from and go to. */
export type KeptScanThread = ReturnType<typeof keepScanThread>

/** Folders are walked in turns, and directories that are made come in flocks; between the looks at a quiet folder no thread is kept. */
export const kept_watching_ms = 10 * second_ms
/** Who watches nothing walks through one folder right after the other, and then wants the memory for what it sends. */
export const kept_once_ms = second_ms / 2

/**
 * Keeps the thread of a walk a while for the next one: starting it costs as much as looking at ten thousand files, and most walks
 * are through a directory that has just been made.
 */
export function keepScanThread(clock: Clock, kept_ms: number) {
  let kept: { thread: Thread; taken: AbortController } | undefined
  let closed = false

  return {
    take(): Thread {
      if (!kept) return startScanThread()
      const { thread, taken } = kept
      kept = undefined
      taken.abort()
      return thread
    },
    /** Of a walk that has come to its end: one that may hang in a call to a dead share is ended instead. */
    giveBack(thread: Thread): void {
      if (closed || kept) return void thread.terminate()
      const taken = new AbortController()
      kept = { thread, taken }
      void clock.sleep(kept_ms, taken.signal).then(() => {
        if (taken.signal.aborted) return
        kept = undefined
        void thread.terminate()
      })
    },
    async close(): Promise<void> {
      closed = true
      const last = kept
      kept = undefined
      last?.taken.abort()
      await last?.thread.terminate()
    },
  }
}

/** For one walk alone. */
export const single_walk: Pick<KeptScanThread, 'take' | 'giveBack'> = {
  take: startScanThread,
  giveBack: (thread) => void thread.terminate(),
}

function startScanThread(): Thread {
  return startThread('disk/scan-thread', undefined, { young_mb: 4 })
}
