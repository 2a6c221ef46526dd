import { type Clock, second_ms } from '../../base/time/time.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import type { ScanSummary } from '../../domain/fact.ts'

const retry_ms = 30 * second_ms

/**
 * Retries directories that the last scan could not read. No event reports reliably that access was
 * granted, and a watcher that started without access never reports changes there.
 */
export function createUnreadableDirectories(
  root: string,
  { clock, examiner }: { clock: Clock; examiner: Pick<Examiner, 'lstat'> },
) {
  let paths: readonly string[] = []
  /** True if a scan could read one before `isOneOpen` was called. */
  let one_was_open = false
  let due_ms = Number.NEGATIVE_INFINITY

  async function tryAll(): Promise<boolean> {
    const now_ms = clock.monotonic_ms()
    if (paths.length === 0 || now_ms < due_ms) return false
    due_ms = now_ms + retry_ms
    // The entry `.` shows whether the directory can be opened and entered.
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
    /** True once each time one of them becomes readable or is no longer a directory. */
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
