import type { Clock } from '../time/time.ts'

/** Waits for the promise or the signal, whichever comes first. */
export async function unlessAborted(waited: Promise<unknown> | undefined, signal: AbortSignal): Promise<void> {
  if (signal.aborted) return
  let stop = () => {}
  const is_over = new Promise<void>((resolve) => {
    stop = resolve
  })
  signal.addEventListener('abort', stop)
  try {
    await Promise.race([waited, is_over])
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

/** Resolves when the signal aborts. */
export function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve()
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }))
}

/** The answer of the work; undefined after `most_ms`, or if the signal aborts first. */
export async function within<Answer>(
  work: Promise<Answer>,
  most_ms: number,
  clock: Clock,
  signal?: AbortSignal,
): Promise<Answer | undefined> {
  const finished = new AbortController()
  const is_over = signal ? AbortSignal.any([finished.signal, signal]) : finished.signal
  try {
    return await Promise.race([work, clock.sleep(most_ms, is_over).then(() => undefined)])
  } finally {
    finished.abort()
  }
}
