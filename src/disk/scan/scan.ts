import { SluiceError } from '../../base/run/errors.ts'
import { createProgress, type Heartbeats, unwatched } from '../../base/run/heartbeat.ts'
import { system_clock } from '../../base/time/time.ts'
import { noAnswer } from '../root/root.ts'
import { type Silence, unlessSilent } from '../root/root-asker.ts'
import type { IgnoreSpec } from './ignore.ts'
import type { HashRule } from './measure.ts'
import type { ScanBatch } from './scan-batch.ts'
import { type KeptScanThread, keepScanThread, startScanThreads } from './scan-threads.ts'
import { createMeasuredTotal, createWalkReport, type ScanEnd } from './walk-report.ts'

export type { HashRule } from './measure.ts'
export { entryMd5, entryPath, entryStat, type ScanBatch } from './scan-batch.ts'
export type { ScanEnd } from './walk-report.ts'

export interface ScanOptions {
  /** Absolute path of the folder. A symbolic link is followed at this path only. */
  root: string
  ignore: IgnoreSpec
  /** Only this directory, relative to the root. A missing one has no files. */
  under?: string | undefined
  batch_entries?: number
  /** Batches that are ready, in work, or in the caller's hands. */
  max_ahead?: number
  /** Hashes files during the scan where `isWanted` agrees, which is called for each batch. */
  hashing?: { rule: HashRule; isWanted(): boolean } | undefined
  signal?: AbortSignal
  /** Detects a root that does not answer any more; without it, the scan waits. */
  silence?: Silence | undefined
  /** A watchdog checks these for a walk that hangs; absent: no watchdog. */
  heartbeats?: Heartbeats
  /** Source of threads: frequent callers keep one. Absent: each scan starts its own. */
  threads?: Pick<KeptScanThread, 'take' | 'giveBack'>
}

/** A batch has 200 KiB and 4 ms of checks: messages cost little, and a ledger page is larger. */
const default_batch_entries = 2_000
/** Batches of 270 KB: enough to keep all threads busy while the main thread passes messages. */
const default_max_ahead = 12

/**
 * Walks a folder in its own threads. Batches hold regular files that are not ignored, in byte order
 * of their paths. `take` may use a batch's memory until it returns. If it calls `stop`, or the
 * signal aborts, the scan ends at once with `complete: false`. Error: `disk.offline`.
 */
export async function scanFolder(
  options: ScanOptions,
  take: (batch: ScanBatch, stop: () => void) => Promise<void> | void,
): Promise<ScanEnd> {
  refuseOutside(options.under ?? '')
  const { root, signal, max_ahead = default_max_ahead, heartbeats = unwatched, silence } = options
  const source = options.threads ?? keepScanThread(system_clock, 0)
  const delivered = createMeasuredTotal()
  const unfinished = () => delivered.with(createWalkReport().end(false))
  if (signal?.aborted) return unfinished()
  const progress = createProgress()
  const { ignore, under = '', batch_entries = default_batch_entries, hashing } = options
  const walk = { root, ignore, under, batch_entries }
  const data = { walk, hashing: hashing?.rule, progress: progress.shared }
  const threads = startScanThreads(data, max_ahead, source, () => hashing?.isWanted() ?? false)
  const over = new AbortController()
  const aborted = new Promise<undefined>((stop) => {
    signal?.addEventListener('abort', () => stop(undefined), { signal: over.signal })
  })
  let finished = false
  let is_stopped = false
  const stop = () => {
    is_stopped = true
  }
  const giveUp = () => {
    throw noAnswer(root)
  }
  try {
    while (!is_stopped) {
      // No heartbeat while the caller takes a batch, because the threads may rest then.
      const heartbeat = heartbeats.begin(`walk through ${root}`, progress.read)
      const next = unlessSilent(root, silence, threads.next(), giveUp)
      const step = await Promise.race([aborted, next]).finally(() => heartbeat.end())
      if (step === undefined) break
      if ('end' in step) {
        finished = true
        return delivered.with(step.end)
      }
      delivered.add(step.total)
      if (step.batch.count > 0) await take(step.batch, stop)
    }
    return unfinished()
  } finally {
    over.abort()
    // Without waiting: the threads may hang on an unresponsive mount. They keep no process alive.
    threads.close(finished)
  }
}

function refuseOutside(under: string): void {
  if (
    under === '' ||
    under.split('/').every((name) => name !== '' && name !== '.' && name !== '..')
  )
    return
  throw new SluiceError({
    code: 'disk.bad_path',
    message: `${under} is not a path below the folder`,
  })
}
