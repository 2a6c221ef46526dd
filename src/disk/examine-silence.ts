import type { Clock } from '../base/time.ts'
import type { RootAsker } from './root-asker.ts'

/** How long a root may take to answer, and whom to ask whether it does. */
export interface Silence {
  roots: Pick<RootAsker, 'status'>
  answer_ms: number
}

/**
 * What has been read for long is large, or lies on a slow disk, or its root does not answer: a call to a dead share never returns,
 * and only somebody else can tell.
 */
export function watchForSilence(watched: {
  silence: Silence
  clock: Clock
  underWay(): readonly [{ root: string }, { began_ms: number }][]
  giveUp(root: string): void
}) {
  const { silence, clock, underWay, giveUp } = watched
  const ending = new AbortController()
  let is_watching = false

  async function isSilent(root: string): Promise<boolean> {
    // Who is asked may end before who asks.
    const status = await silence.roots.status(root, silence.answer_ms).catch(() => undefined)
    return status?.kind === 'offline' && status.reason === 'no answer'
  }

  async function watch(): Promise<void> {
    is_watching = true
    while (underWay().length > 0) {
      await clock.sleep(silence.answer_ms, ending.signal)
      if (ending.signal.aborted) return
      const since_ms = clock.monotonic_ms() - silence.answer_ms
      const long = underWay().filter(([, { began_ms }]) => began_ms <= since_ms)
      const roots = [...new Set(long.map(([{ root }]) => root))]
      await Promise.all(
        roots.map(async (root) => {
          if ((await isSilent(root)) && !ending.signal.aborted) giveUp(root)
        }),
      )
    }
    // In the turn in which nothing was under way: what comes later begins it anew.
    is_watching = false
  }

  return {
    isSilent,
    /** There is work; once is enough while there is any. */
    begin(): void {
      if (!is_watching) void watch()
    },
    end: () => ending.abort(),
  }
}
