import { isSluiceError } from '../../base/run/errors.ts'
import type { Clock } from '../../base/time/time.ts'
import { entryPath, entryStat, type ScanBatch, type ScanEnd, scanFolder } from '../../disk/scan/scan.ts'
import { count, noAmount, TypeTally } from './plan-answer.ts'

/** A user waits for the answer. Above these limits the exact number is of no use. */
export const usual_survey = { max_files: 1_000_000, max_time_ms: 20_000 }

/** Counts of the files in a folder that a user may want to have watched, for `sluice init`. */
export type Survey = Awaited<ReturnType<typeof surveyFolder>>

/** Scans a folder by the default ignore rules, within limits. Changes nothing and opens no file. */
export async function surveyFolder(
  root: string,
  options: { clock: Clock; younger_than_ms: readonly number[]; signal?: AbortSignal; limits?: typeof usual_survey },
) {
  const { clock, limits = usual_survey } = options
  const over = new AbortController()
  const signal = AbortSignal.any([over.signal, ...(options.signal ? [options.signal] : [])])
  void clock.sleep(limits.max_time_ms, signal).then(() => over.abort())
  const now_ms = clock.now_ms()
  const spans = options.younger_than_ms.map((age_ms) => ({ since_ms: now_ms - age_ms, amount: noAmount() }))
  const all = noAmount()
  const types = new TypeTally()
  const add = (batch: ScanBatch) => {
    for (let index = 0; index < batch.count; index++) {
      const { size, mtime_ns } = entryStat(batch, index)
      const mtime_ms = Number(mtime_ns / 1_000_000n)
      count(all, size)
      for (const { since_ms, amount } of spans) if (mtime_ms >= since_ms) count(amount, size)
      types.add(entryPath(batch, index), size)
    }
  }
  const answer = (stopped: 'files' | 'time' | undefined, end?: ScanEnd, offline: string | null = null) => ({
    /** Why the folder cannot be read; null if it could. */
    offline,
    all,
    /** Files that changed in each of the given spans, in the same order. */
    younger: spans.map(({ amount }) => amount),
    /** By extension in lower case, an empty text for none; largest number first. */
    types: types.sorted(),
    /** The limit that ended the count. Numbers are then minimums, and ignored files are unknown. */
    stopped,
    /** By rule, largest number first. */
    ignored: [...(end?.ignored ?? [])].sort((a, b) => b.count - a.count),
    unreadable_total: end?.unreadable_total ?? 0,
  })
  const scan = { root, ignore: { include: [], exclude: [], dot_files: false }, signal }
  try {
    const end = await scanFolder(scan, (batch, enough) => {
      add(batch)
      if (all.files > limits.max_files) enough()
    })
    if (all.files > limits.max_files) return answer('files')
    return signal.aborted ? answer('time') : answer(undefined, end)
  } catch (error) {
    if (!isSluiceError(error, 'disk.offline')) throw error
    return answer(undefined, undefined, error.message)
  } finally {
    over.abort()
  }
}
