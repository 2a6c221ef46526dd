import { unlessAborted } from '../base/run/waits.ts'

/**
 * Many wait for one look at the work; it ends with the last of them, for who has gone hears of
 * nothing. `look` resolves when nothing is left to do, or nobody waits any more.
 */
export function createIdling(look: (gone: AbortSignal) => Promise<unknown>) {
  let looking: ReturnType<typeof begin> | undefined

  function begin() {
    const nobody = new AbortController()
    const ended = look(nobody.signal)
    // Whoever waits hears of it; the last may have gone.
    ended.catch(() => {})
    return { ended, waiting: 0, nobody }
  }

  return {
    async wait(gone?: AbortSignal): Promise<void> {
      if (gone?.aborted) return
      looking ??= begin()
      const mine = looking
      mine.waiting++
      try {
        await (gone ? unlessAborted(mine.ended, gone) : mine.ended)
      } finally {
        mine.waiting--
        if (mine.waiting === 0) {
          mine.nobody.abort()
          if (looking === mine) looking = undefined
        }
      }
    },
  }
}
