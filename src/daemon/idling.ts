import { unlessAborted } from '../base/time/time.ts'

/** Many callers wait for one check of the work, which ends when no caller is left. */
export function createIdling(check: (gone: AbortSignal) => Promise<unknown>) {
  let checking: ReturnType<typeof begin> | undefined

  function begin() {
    const abandoned = new AbortController()
    const ended = check(abandoned.signal)
    // Each caller gets the rejection from `wait`. It must not count as unhandled if none is left.
    ended.catch(() => {})
    return { ended, waiting: 0, abandoned }
  }

  return {
    async wait(gone?: AbortSignal): Promise<void> {
      if (gone?.aborted) return
      checking ??= begin()
      const mine = checking
      mine.waiting++
      try {
        await (gone ? unlessAborted(mine.ended, gone) : mine.ended)
      } finally {
        mine.waiting--
        if (mine.waiting === 0) {
          mine.abandoned.abort()
          if (checking === mine) checking = undefined
        }
      }
    },
  }
}
