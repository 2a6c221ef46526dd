import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { codeOf } from '../../base/run/errors.ts'
import { type Clock, second_ms } from '../../base/time/time.ts'
import type { Examiner } from '../../disk/read/examiner.ts'
import { entryPath, type ScanBatch } from '../../disk/scan/scan.ts'
import type { ScanSummary } from '../../domain/fact.ts'

export interface MissedEventsOptions {
  root: string
  settle_ms: number
  clock: Clock
  /** Paths that the previous scan counted; they do not count again. */
  known: ReadonlySet<string>
}

/** Events are handled within seconds. The rest is reserve for a busy machine. */
const reported_within_ms = 30 * second_ms
/** Above this number of paths, moves are no longer checked. */
const max_paths = 1_000

export type MissedEvents = ReturnType<typeof createMissedEvents>

/**
 * Counts new or changed files of one scan that the watcher should have reported long ago, by their
 * ctime. A moved directory brings old files, so files in a recently moved one do not count.
 */
export function createMissedEvents({ root, settle_ms, clock, known }: MissedEventsOptions) {
  const since_ms = clock.now_ms() - settle_ms - reported_within_ms
  const paths = new Set<string>()
  const moved_by_directory = new Map<string, number>()
  let more = 0

  /** True if neither this directory nor a parent, up to the root, moved recently. */
  function stoodHere(directory: string): boolean {
    if (directory === '.') return true
    return whenMoved_ms(directory) <= since_ms && stoodHere(dirname(directory))
  }

  function whenMoved_ms(directory: string): number {
    let moved_ms = moved_by_directory.get(directory)
    if (moved_ms === undefined) {
      moved_ms = movedAt_ms(join(root, directory))
      moved_by_directory.set(directory, moved_ms)
    }
    return moved_ms
  }

  return {
    /** `changed`: entries of the batch that differ from the ledger. */
    consider(batch: ScanBatch, changed: Uint32Array): void {
      for (const index of changed) {
        // Each entry has size, mtime, ctime and inode.
        if (Number(batch.stats[4 * index + 2]! / 1_000_000n) > since_ms) continue
        const path = entryPath(batch, index)
        if (known.has(path)) continue
        if (paths.size < max_paths) paths.add(path)
        else more += 1
      }
    },
    found: (): ReadonlySet<string> => paths,
    count: () => [...paths].filter((path) => stoodHere(dirname(path))).length + more,
  }
}

/**
 * Unix ms of a directory's last move, as its times show it; -Infinity if its last change was no
 * move. A move changes only the ctime. A new or deleted entry sets mtime and ctime to the same
 * moment. A directory that is gone now was just moved.
 */
function movedAt_ms(path: string): number {
  try {
    const { ctimeNs, mtimeNs } = lstatSync(path, { bigint: true })
    return ctimeNs === mtimeNs ? Number.NEGATIVE_INFINITY : Number(ctimeNs / 1_000_000n)
  } catch (error) {
    if (codeOf(error) === undefined) throw error
    return Number.POSITIVE_INFINITY
  }
}

/** Results of scans about a folder's watcher since it last proved that it reports changes. */
export interface WatcherProof {
  /** Scans in a row that found missed changes. */
  strikes: number
  /** True if it was replaced for that, and has proved nothing since. */
  replaced: boolean
}

/** Constants under `watching` (config/schema/constants.ts). */
export interface WatcherLimits {
  readonly replace_after_scans: number
  readonly replace_after_files: number
}

export const unproven: WatcherProof = { strikes: 0, replaced: false }

/** One missed change in a hundred is tolerated: the kernel's queue overflows without an error. */
const reports_per_miss = 100

/**
 * Judges a watcher by two counts: its hints since the previous scan, and the files found that it
 * should have reported long ago (`missed`). A watcher that missed too much is replaced the first
 * time, and given up the second time.
 */
export function judgeWatcher(
  before: WatcherProof,
  scan: { reported: number; missed: number },
  limits: WatcherLimits,
): { proof: WatcherProof; verdict: 'reliable' | 'doubtful' | 'replace' | 'give_up' } {
  const { reported, missed } = scan
  // A scan without any change proves nothing.
  if (missed === 0 && reported === 0)
    return { proof: before, verdict: before.strikes > 0 ? 'doubtful' : 'reliable' }
  if (missed * reports_per_miss <= reported) return { proof: unproven, verdict: 'reliable' }
  const strikes = before.strikes + 1
  const is_bad =
    strikes >= limits.replace_after_scans ||
    (reported === 0 && missed >= limits.replace_after_files)
  if (!is_bad) return { proof: { ...before, strikes }, verdict: 'doubtful' }
  return { proof: { strikes: 0, replaced: true }, verdict: before.replaced ? 'give_up' : 'replace' }
}

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
