import { type Clock, second_ms } from '../../base/time/time.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import type { ScanSummary } from '../../domain/fact.ts'

const retry_ms = 30 * second_ms

/**
 * Tries what the last scan could not read. No event says reliably that the right to it was given,
 * and a watcher that met it unreadable never reports changes in it.
 */
export function createUnreadableDirectories(
  root: string,
  { clock, examiner }: { clock: Clock; examiner: Pick<Examiner, 'lstat'> },
) {
  let paths: readonly string[] = []
  /** A scan could read one before `isOneOpen` was called. */
  let one_was_open = false
  let due_ms = Number.NEGATIVE_INFINITY

  async function tryAll(): Promise<boolean> {
    const now_ms = clock.monotonic_ms()
    if (paths.length === 0 || now_ms < due_ms) return false
    due_ms = now_ms + retry_ms
    // The entry `.` tells whether the directory can be opened and entered.
    const insides = paths.map((path) => `${path}/.`)
    const entries = await examiner.lstat(root, insides)
    return entries.some(({ kind }) => kind !== 'unreadable')
  }

  return {
    scanEnded({ unreadable }: Pick<ScanSummary, 'unreadable'>): void {
      const still = new Set(unreadable.map(({ path }) => path))
      one_was_open ||= paths.some((path) => !still.has(path))
      paths = [...still]
      due_ms = clock.monotonic_ms() + retry_ms
    },
    /** True once for each time that one of them has become readable, or is a directory no more. */
    async isOneOpen(): Promise<boolean> {
      if (one_was_open || (await tryAll())) {
        one_was_open = false
        paths = []
        return true
      }
      return false
    },
  }
}
