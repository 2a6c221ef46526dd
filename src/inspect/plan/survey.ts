import { isSluiceError } from '../../base/run/errors.ts'
import type { Clock } from '../../base/time/time.ts'
import { entryPath, entryStat, type ScanBatch, type ScanEnd, scanFolder } from '../../disk/scan/scan.ts'
import { count, noAmount, TypeTally } from './plan-answer.ts'

/** Who chooses a folder waits for the answer; beyond this the size of the number says enough. */
export const usual_survey = { max_files: 1_000_000, max_time_ms: 20_000 }

/** What lies in a folder, for somebody who is about to have it watched. */
export type Survey = Awaited<ReturnType<typeof surveyFolder>>

/** Walks a folder as the daemon would, for so long and no longer. Changes nothing, opens no file. */
export async function surveyFolder(
  root: string,
  options: { clock: Clock; younger_than_ms: readonly number[]; signal?: AbortSignal; limits?: typeof usual_survey },
) {
  const { clock, limits = usual_survey } = options
  const [stop, finished] = [new AbortController(), new AbortController()]
  const signal = AbortSignal.any([stop.signal, ...(options.signal ? [options.signal] : [])])
  const late = clock.sleep(limits.max_time_ms, finished.signal).then(() => stop.abort())
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
    /** Why it cannot be read; null where it could. */
    offline,
    all,
    /** Of files that changed in these spans, in the order that was asked for. */
    younger: spans.map(({ amount }) => amount),
    /** By extension, in small letters, '' for none; most files first. */
    types: types.sorted(),
    /** Counting stopped there: the numbers are the least that there is, and what is ignored is not known. */
    stopped,
    /** By rule, most first. */
    ignored: [...(end?.ignored ?? [])].sort((a, b) => b.count - a.count),
    unreadable_total: end?.unreadable_total ?? 0,
  })
  const { batches, end } = scanFolder({ root, ignore: { include: [], exclude: [], dot_files: false }, signal })
  try {
    for await (const batch of batches) {
      add(batch)
      if (all.files > limits.max_files) return answer('files')
    }
    return signal.aborted ? answer('time') : answer(undefined, await end)
  } catch (error) {
    if (!isSluiceError(error, 'disk.offline')) throw error
    return answer(undefined, undefined, error.message)
  } finally {
    finished.abort()
    await late
  }
}
