import type { Clock } from '../../base/time.ts'
import type { CheckId } from './check-ids.ts'

export type Level = 'ok' | 'warning' | 'fault'

/** What was looked at, and how it stands. `about` is the one thing, a folder or a host; `hint` says what to do. */
export interface Check {
  id: CheckId
  level: Level
  about: string
  message: string
  hint?: string
}

export function ok(id: CheckId, about: string, message: string): Check {
  return { id, level: 'ok', about, message }
}

export function warning(id: CheckId, about: string, message: string, hint?: string): Check {
  return { id, level: 'warning', about, message, ...(hint === undefined ? {} : { hint }) }
}

export function fault(id: CheckId, about: string, message: string, hint?: string): Check {
  return { id, level: 'fault', about, message, ...(hint === undefined ? {} : { hint }) }
}

/** The answer of `work`, or `late()` when it has none within the limit; `work` is then told by its signal and left behind. */
export async function withinTime<Answer>(
  clock: Clock,
  limit_ms: number,
  work: (signal: AbortSignal) => Promise<Answer>,
  late: () => Answer,
): Promise<Answer> {
  const [stop, done] = [new AbortController(), new AbortController()]
  const limit = clock.sleep(limit_ms, done.signal).then(() => late())
  try {
    return await Promise.race([work(stop.signal), limit])
  } finally {
    done.abort()
    stop.abort()
  }
}

/** How many names a line holds; more say nothing new. */
const most_named = 5

export function named(names: readonly string[], total = names.length): string {
  const first = names.slice(0, most_named)
  const rest = total - first.length
  return rest > 0 ? `${first.join(', ')} and ${rest} more` : first.join(', ')
}
