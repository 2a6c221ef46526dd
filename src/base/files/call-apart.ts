import { startApart } from '../run/apart.ts'
import { second_ms, system_clock, within } from '../time/time.ts'
import { noAnswer } from './ask-paths.ts'
import { mayHang } from './mount-table.ts'

/** Work on a path of the user, as a call of a module that runs apart. */
export interface PathWork<Answer> {
  /** The module: a path below src/ without extension. It serves `method` by `serveCalls`. */
  module: string
  method: string
  argument: unknown
  /** Absent: 30 s. */
  limit_ms?: number
  /** The same in this process, where no path can hang. */
  here(): Answer | Promise<Answer>
}

/** No user waits for this work, and a slow share may need time to write. */
const max_work_ms = 30 * second_ms
/** Paths whose process outlives even SIGKILL: no second one is started for them. */
const left_behind = new Set<string>()

/**
 * Works on a path that may hang, so that nothing else waits for it: in a process of its own where a
 * share is mounted. Error `path.no_answer` after the limit, at once while an earlier process waits
 * there; and those of the work.
 */
export async function callApart<Answer>(path: string, work: PathWork<Answer>): Promise<Answer> {
  if (!mayHang()) return work.here()
  const { limit_ms = max_work_ms } = work
  if (left_behind.has(path)) throw noAnswer(path, limit_ms)
  const asker = startApart(work.module)
  const answer = asker.call<Answer>(work.method, work.argument).then((value) => ({ value }))
  try {
    const answered = await within(answer, limit_ms, system_clock)
    if (answered) return answered.value
    left_behind.add(path)
    throw noAnswer(path, limit_ms)
  } finally {
    void asker.terminate().then(() => left_behind.delete(path))
  }
}
