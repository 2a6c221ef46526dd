import { SluiceError } from '../../base/run/errors.ts'
import { type Pulses, unwatched } from '../../base/run/pulse.ts'
import type { IgnoreSpec } from './ignore.ts'
import type { ScanBatch } from './scan-batch.ts'
import { type KeptScanThread, single_walk, startScanThreads } from './scan-threads.ts'
import type { HashRule } from './small-hasher.ts'
import { createProgress } from './thread-progress.ts'
import { createMeasuredTotal, createWalkReport, type ScanEnd } from './walk-report.ts'

export { entryMd5, entryPath, entryStat, type ScanBatch } from './scan-batch.ts'
export type { HashRule } from './small-hasher.ts'
export type { ScanEnd } from './walk-report.ts'

export interface ScanOptions {
  /** Absolute path of the folder; a symbolic link at this place alone is followed. */
  root: string
  ignore: IgnoreSpec
  /** Only this directory, relative to the root. Where there is none now, the scan ends with no files. */
  under?: string
  batch_entries?: number
  /** Batches that are ready, being made, or in the caller's hands. */
  max_ahead?: number
  /** Files are read on the way where `isWanted` says so, asked for each batch. */
  hashing?: { rule: HashRule; isWanted(): boolean } | undefined
  signal?: AbortSignal
  /** A watchdog checks here whether the walk moves. */
  pulses?: Pulses
  /** Who walks often keeps a thread for it. */
  threads?: Pick<KeptScanThread, 'take' | 'giveBack'>
}

/** About 200 KiB a batch, 4 ms of looking: messages cost nothing against it, and it is small beside a page of the ledger. */
const default_batch_entries = 2_000
/** So many that neither thread waits: batches are handed on in their order, each after three words with the main thread. 270 KB each. */
const default_max_ahead = 12

/**
 * Walks a folder in threads of its own. The batches hold regular files that are not ignored, in byte order of their paths. Each stands
 * until the next is asked for: then its memory holds another.
 * `end` settles when the batches were read to their end, when the caller stopped reading them, or when the signal aborted; in
 * the last two cases at once, with `complete: false` and only the files that were handed over. Errors, from both:
 * `disk.offline` where the root is missing or unreadable.
 */
export function scanFolder(options: ScanOptions): { batches: AsyncIterable<ScanBatch>; end: Promise<ScanEnd> } {
  refuseOutside(options.under ?? '')
  let resolve!: (end: ScanEnd) => void
  let reject!: (error: unknown) => void
  const end = new Promise<ScanEnd>((on_end, on_error) => {
    resolve = on_end
    reject = on_error
  })
  // The error comes out of the batches too, and a caller may listen there only.
  end.catch(() => {})
  return { batches: readBatches(options, resolve, reject), end }
}

async function* readBatches(
  options: ScanOptions,
  resolve: (end: ScanEnd) => void,
  reject: (error: unknown) => void,
): AsyncGenerator<ScanBatch, void> {
  const { root, signal, max_ahead = default_max_ahead, pulses = unwatched, threads: source = single_walk } = options
  const delivered = createMeasuredTotal()
  const unfinished = () => delivered.with(createWalkReport().end(false))
  if (signal?.aborted) return resolve(unfinished())
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
  try {
    for (;;) {
      // Not while the caller is busy: then the threads rest.
      const pulse = pulses.begin(`walk through ${root}`, progress.read)
      const step = await Promise.race([aborted, threads.next()]).finally(() => pulse.end())
      if (step === undefined) return
      if ('end' in step) {
        finished = true
        return resolve(delivered.with(step.end))
      }
      delivered.add(step.total)
      if (step.batch.count > 0) yield step.batch
    }
  } catch (error) {
    reject(error)
    throw error
  } finally {
    over.abort()
    // Nobody waits for the threads: they may hang in a call to a dead share, and they keep no process alive.
    threads.close(finished)
    resolve(unfinished())
  }
}

function refuseOutside(under: string): void {
  if (under === '' || under.split('/').every((name) => name !== '' && name !== '.' && name !== '..')) return
  throw new SluiceError({ code: 'disk.bad_path', message: `${under} is not a path below the folder` })
}
