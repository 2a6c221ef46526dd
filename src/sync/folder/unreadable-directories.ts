import { type Clock, second_ms } from '../../base/time/time.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import type { ScanSummary } from '../../domain/fact.ts'

const look_ms = 30 * second_ms

/**
 * What the last scan could not read. No event says reliably that somebody was given the right to it, and a watcher that met it shut
 * stays deaf for it: so it is tried.
 */
export function createShutDirectories(
  root: string,
  { clock, examiner }: { clock: Clock; examiner: Pick<Examiner, 'lstat'> },
) {
  let paths: readonly string[] = []
  /** The scan came in before anybody asked. */
  let one_was_open = false
  let due_ms = Number.NEGATIVE_INFINITY

  async function tryAll(): Promise<boolean> {
    const now_ms = clock.monotonic_ms()
    if (paths.length === 0 || now_ms < due_ms) return false
    due_ms = now_ms + look_ms
    // What is inside says whether it can be opened and entered.
    const insides = paths.map((path) => `${path}/.`)
    const looks = await examiner.lstat(root, insides)
    return looks.some(({ kind }) => kind !== 'unreadable')
  }

  return {
    scanEnded({ unreadable }: Pick<ScanSummary, 'unreadable'>): void {
      const still = new Set(unreadable.map(({ path }) => path))
      one_was_open ||= paths.some((path) => !still.has(path))
      paths = [...still]
      due_ms = clock.monotonic_ms() + look_ms
    },
    /** Whether one of them is readable by now, or is none any more; told once, and asked as often as one likes. */
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
